/** Codes of Node's TLS for a chain that ends in no authority known here; an expired certificate or a wrong name is none. */
const UNKNOWN_AUTHORITY: readonly string[] = [
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
];

/** Why a connection failed and what to do, when the server's certificate is of an authority unknown to Node. */
export function unknownAuthority(code: string | undefined): string | undefined {
  if (code === undefined || !UNKNOWN_AUTHORITY.includes(code)) return undefined;
  return (
    `its certificate is of an authority that is not trusted here (${code}). If that is a private one of yours, set ` +
    "NODE_EXTRA_CA_CERTS to a file with its certificate (PEM), and GIT_SSL_CAINFO to the same for git"
  );
}

/** Says what to do, after git's own words, when git does not trust the certificate; else nothing. */
export function gitAuthorityHint(stderr: string): string {
  const isUntrusted = /server certificate verification failed|unable to get local issuer|self[- ]signed certificate/i;
  if (!isUntrusted.test(stderr)) return "";
  return " If the certificate is of a private authority of yours, set GIT_SSL_CAINFO to a file with its certificate (PEM).";
}
