import { createHash } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { readIfPresent, writeDurably } from "../../platform/durable-file.ts";
import type { CertificateSettings } from "../caddy/caddy-config.ts";
import { proxyDirectory, readPolicy } from "./certificate-files.ts";

const WRITTEN = /^(acme-roots|own-certificate|own-key)-[0-9a-f]{16}\.pem$/;

/** The directory's group is the proxy's. */
const READ_BY_PROXY = 0o640;

/**
 * The certificate policy as the proxy's configuration needs it: what it holds as text is written to files, which are
 * named for their content, so that another content is another configuration. Those of former policies are removed: a
 * proxy that runs has read them.
 * @param seenAs the directory's path as the proxy knows it
 */
export async function writeCertificateSettings(dataDirectory: string, seenAs: string): Promise<CertificateSettings> {
  const policy = readPolicy(dataDirectory);
  const directory = proxyDirectory(dataDirectory);
  const current = new Set<string>();

  async function write(name: string, content: string): Promise<string> {
    const hash = createHash("sha256").update(content).digest("hex").slice(0, 16);
    const file = `${name}-${hash}.pem`;
    const path = join(directory, file);
    if ((await readIfPresent(path)) !== content) await writeDurably(path, content, READ_BY_PROXY);
    current.add(file);
    return join(seenAs, file);
  }

  // The roots given to the proxy replace the system's.
  const roots = policy.acme?.caPem ? [...rootCertificates, policy.acme.caPem].join("\n") : undefined;
  const settings: CertificateSettings = {
    policy,
    acmeRootsFile: roots === undefined ? undefined : await write("acme-roots", roots),
    own: policy.own && {
      certificate: await write("own-certificate", policy.own.certificatePem),
      key: await write("own-key", policy.own.keyPem),
    },
  };
  for (const file of await readdir(directory)) {
    if (WRITTEN.test(file) && !current.has(file)) await rm(join(directory, file), { force: true });
  }
  return settings;
}
