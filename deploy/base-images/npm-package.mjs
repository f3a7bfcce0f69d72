import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { capture } from "../setup/run.mjs";

/**
 * Fetches a package from the registry that this machine's npm uses, and unpacks it.
 *
 * @param {string} specifier name@version
 * @param {string} directory is made; the package's files end up in it
 * @param {readonly string[]} [only] paths in the package; all by default
 */
export async function unpackNpmPackage(specifier, directory, only = []) {
  await mkdir(directory, { recursive: true });
  const archives = `${directory}.archive`;
  await mkdir(archives);
  // A root that works for a user (sudo) must not leave files of its own in that user's cache.
  const cache = process.env.SUDO_UID === undefined ? [] : ["--cache", join(archives, "cache")];
  await capture("npm", ["pack", "--silent", "--pack-destination", archives, ...cache, specifier], { cwd: archives });
  const archive = (await readdir(archives)).find((file) => file.endsWith(".tgz"));
  if (archive === undefined) throw new Error(`npm pack ${specifier} left no archive`);
  const members = only.map((path) => `package/${path}`);
  await capture("tar", ["-xzf", join(archives, archive), "-C", directory, "--strip-components=1", ...members]);
}

/** Names of this machine's processor in npm packages; Debian's own names differ. */
export function npmArch() {
  return process.arch === "arm64" ? "arm64" : "x64";
}
