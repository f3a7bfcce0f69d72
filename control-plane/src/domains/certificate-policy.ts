import { readFile } from "node:fs/promises";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { SvcError } from "@svc/shared/errors.ts";
import type { CertificatePolicySchema } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";

export type CertificatePolicy = MessageInitShape<typeof CertificatePolicySchema>;

/** The directory when none is set (operating contract, SVC_ACME_DIRECTORY). */
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

/** From where the hosts of apps get their certificates, as it is now: the operator may replace the files at any time. */
export function createCertificatePolicy({ acme, own }: CertificatePolicyOptions): () => Promise<CertificatePolicy> {
  return async () => ({
    acmeDirectory: acme.directory === "internal" ? "" : (acme.directory ?? LETS_ENCRYPT),
    acmeCaPem: acme.caPem,
    acmeEmail: acme.email ?? "",
    internalDomains: acme.directory === undefined ? [...LOOPBACK, ...PRIVATE] : LOOPBACK,
    ownCertificatePem: own ? await read("SVC_APPS_CERT_FILE", own.certFile) : "",
    ownKeyPem: own ? await read("SVC_APPS_KEY_FILE", own.keyFile) : "",
  });
}

async function read(variable: string, file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    const sentence = `${variable} is ${file}, which can't be read: ${(cause as Error).message}.`;
    throw new SvcError("internal", sentence, { cause });
  }
}
