import { readFile } from "node:fs/promises";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { SvcError } from "@svc/shared/errors.ts";
import type { CertificatePolicySchema } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { checkKeyOf } from "../fleet/authority/pem-certificates.ts";

export type CertificatePolicy = MessageInitShape<typeof CertificatePolicySchema>;

/** The directory when none is set. */
const LETS_ENCRYPT = "https://acme-v02.api.letsencrypt.org/directory";

/** Loopback (RFC 6761): no authority but the host's own can say anything of it. */
const LOOPBACK = ["localhost"];

/**
 * Never public, so that a public authority would refuse them: RFC 2606, 6761, 6762, 8375, ICANN's `internal`, and what
 * home and office networks use. An authority that an operator names may well be one for such names.
 */
const PRIVATE = ["test", "example", "invalid", "local", "home.arpa", "internal"].concat([
  "lan",
  "home",
  "corp",
  "intranet",
  "private",
]);

export interface CertificatePolicyOptions {
  acme: { directory: string | undefined; caPem: string; email: string | undefined };
  /** Files of the operator's own certificate. */
  own: { certFile: string; keyFile: string } | undefined;
}

/** The certificate policy of apps' hosts, as it is now: the operator may replace the files at any time. */
export function createCertificatePolicy({ acme, own }: CertificatePolicyOptions): () => Promise<CertificatePolicy> {
  return async () => ({
    acmeDirectory: acme.directory === "internal" ? "" : (acme.directory ?? LETS_ENCRYPT),
    acmeCaPem: acme.caPem,
    acmeEmail: acme.email ?? "",
    internalDomains: acme.directory === undefined ? [...LOOPBACK, ...PRIVATE] : LOOPBACK,
    ...(own && (await readOwn(own))),
  });
}

/** @throws SvcError that names the variable, when the files are not a certificate and its key */
async function readOwn({ certFile, keyFile }: { certFile: string; keyFile: string }): Promise<CertificatePolicy> {
  try {
    const [ownCertificatePem, ownKeyPem] = [await readFile(certFile, "utf8"), await readFile(keyFile, "utf8")];
    checkKeyOf(ownCertificatePem, ownKeyPem);
    return { ownCertificatePem, ownKeyPem };
  } catch (cause) {
    const sentence = `SVC_APPS_CERT_FILE is ${certFile}, which can't be used: ${(cause as Error).message}.`;
    throw new SvcError("internal", sentence, { cause });
  }
}
