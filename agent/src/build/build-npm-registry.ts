import { execFile } from "node:child_process";
import { promisify } from "node:util";

const PUBLIC_REGISTRY = "https://registry.npmjs.org/";

/** npm starts in under a second. */
const ANSWER_MS_MAX = 10_000;

/**
 * The registry that this host's npm is set to, when it is another than the public one: builds use it too. One with
 * credentials in its address is not handed on, since others could read it in the build's cache.
 */
export async function hostNpmRegistry(): Promise<string | undefined> {
  try {
    const options = { timeout: ANSWER_MS_MAX, cwd: "/" };
    const { stdout } = await promisify(execFile)("npm", ["config", "get", "registry"], options);
    const url = new URL(stdout.trim());
    const isUsable = /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
    return isUsable && url.href !== PUBLIC_REGISTRY ? url.href : undefined;
  } catch {
    // No npm on this host: builds use the public registry.
    return undefined;
  }
}
