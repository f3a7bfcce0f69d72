import { chmod, chown, lchown, mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { isErrno } from "../../platform/durable-file.ts";
import { proxyDirectory, proxyStateDirectory } from "../certificates/certificate-files.ts";
import type { Account } from "./proxy-account.ts";

/**
 * Where the proxy itself finds its directory. It is started there by an agent that may enter the folders above, which the
 * proxy may not: no other path leads it in, and nothing beside its directory is within its reach.
 */
export const OWN_DIRECTORY = "/proc/self/cwd";

/** Files of the agent's, in the directory of an agent that kept them together with the proxy's own. */
const FORMERLY_AGENTS = /^(config\.json|version|startup\.log|http3-lost|.*\.pem)(\.new)?$/;

/**
 * Makes the directory, which the agent writes and the proxy reads, and in it the proxy's own. Neither writes where the
 * other does, so that no link of the proxy's leads the agent elsewhere. Call it while no proxy of the agent's runs.
 */
export async function prepareProxyDirectories(dataDirectory: string, account: Account | undefined): Promise<void> {
  const directory = proxyDirectory(dataDirectory);
  const state = proxyStateDirectory(dataDirectory);
  await moveFormerState(directory, state);
  await mkdir(state, { recursive: true, mode: 0o700 });
  if (account === undefined) return;
  await chown(directory, process.getuid?.() ?? 0, account.gid);
  // Files made in it get its group.
  await chmod(directory, 0o2750);
  await chmod(state, 0o700);
  if ((await stat(state)).uid !== account.uid) await giveAway(state, account);
}

/** An earlier agent kept the proxy's state in the directory itself. Each line may be the last one of a killed agent. */
async function moveFormerState(directory: string, state: string): Promise<void> {
  const former = `${directory}.former`;
  if ((await isThere(directory)) && !(await isThere(state)) && !(await isThere(former)))
    await rename(directory, former);
  if (!(await isThere(former))) return;
  await mkdir(directory, { recursive: true, mode: 0o750 });
  for (const name of await readdir(former)) {
    if (FORMERLY_AGENTS.test(name)) await rm(join(former, name), { force: true });
  }
  await rename(former, state);
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (isErrno(error, "ENOENT")) return false;
    throw error;
  }
}

/** The directory itself last: until then it is done again. Links are given, not followed. */
async function giveAway(directory: string, { uid, gid }: Account): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await giveAway(path, { uid, gid });
    else await lchown(path, uid, gid);
  }
  await lchown(directory, uid, gid);
}
