import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SvcError } from "@svc/shared/errors.ts";
import type { GitCredentials } from "../../ports.ts";
import { sshCommand } from "./ssh-command.ts";

/** Credentials of a fetch; no other process gets them. */
export type Access = { kind: "token"; token: string } | { kind: "ssh"; command: string };

/**
 * Makes the files that a fetch with these credentials needs: in a folder of their own below `scratch`, which the caller
 * removes, and which only this user can read.
 */
export async function prepareAccess(options: {
  credentials: GitCredentials | undefined;
  url: URL;
  addresses: readonly string[];
  scratch: string;
}): Promise<Access | undefined> {
  const { credentials, url, addresses, scratch } = options;
  if (url.protocol === "http:") requireLoopback(url, addresses);
  if (credentials?.kind !== "ssh") return credentials;
  const folder = join(scratch, "ssh");
  const [keyFile, knownHostsFile] = [join(folder, "key"), join(folder, "known_hosts")];
  await mkdir(folder, { mode: 0o700 });
  await writeFile(keyFile, credentials.privateKey, { mode: 0o600, flag: "wx" });
  await writeFile(knownHostsFile, `${credentials.knownHosts.join("\n")}\n`, { mode: 0o600, flag: "wx" });
  const [address = ""] = addresses;
  return { kind: "ssh", command: sshCommand({ url, address, keyFile, knownHostsFile }) };
}

/** A token must not cross a network in the clear. @throws SvcError invalid_request */
function requireLoopback(url: URL, addresses: readonly string[]): void {
  if (addresses.every((address) => address === "::1" || address.startsWith("127."))) return;
  throw new SvcError(
    "invalid_request",
    `The repository's address ${url.origin} must start with https:// because its host is another machine. ` +
      "Whoever runs this service must serve the control plane over TLS and set SVC_BASE_URL to that address.",
  );
}
