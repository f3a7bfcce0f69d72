import { expect, test } from "vitest";
import { gitAuthorityHint, unknownAuthority } from "./private-authority.ts";

test("an unknown authority is told from a certificate that is expired or of another name", () => {
  expect(unknownAuthority("UNABLE_TO_VERIFY_LEAF_SIGNATURE")).toContain("NODE_EXTRA_CA_CERTS");
  for (const code of ["CERT_HAS_EXPIRED", "ERR_TLS_CERT_ALTNAME_INVALID", "ECONNREFUSED", undefined]) {
    expect(unknownAuthority(code)).toBeUndefined();
  }
});

test.each([
  "fatal: unable to access 'https://h/a.git/': server certificate verification failed. CAfile: none CRLfile: none",
  "fatal: unable to access 'https://h/a.git/': SSL certificate problem: unable to get local issuer certificate",
  "fatal: unable to access 'https://h/a.git/': SSL certificate problem: self-signed certificate in certificate chain",
])("git's words of an unknown authority are followed by what to do: %s", (words) => {
  expect(gitAuthorityHint(words)).toContain("GIT_SSL_CAINFO");
});

test("nothing follows other words of git", () => {
  expect(gitAuthorityHint("fatal: Authentication failed for 'https://h/a.git/'")).toBe("");
});
