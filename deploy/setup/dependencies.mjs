import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "./run.mjs";
import { say, SetupError } from "./terminal.mjs";

export const repositoryRoot = fileURLToPath(new URL("../..", import.meta.url));

const programsFolder = join(repositoryRoot, "node_modules/.bin");

/** Node 24, which arrives as an npm package, so that a machine with an older Node.js works too. */
export const nodeProgram = join(programsFolder, "node");

/**
 * Installs the npm dependencies when they are missing or other than the lock file's, and puts their programs (Node 24
 * among them) first on PATH.
 *
 * @throws {SetupError}
 */
export async function ensureDependencies() {
  if (!dependenciesAreCurrent(repositoryRoot)) {
    say("Installing the npm dependencies (npm ci) …");
    // The level hides warnings that the running Node.js is older than what packages ask for: they run under Node 24.
    await run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: repositoryRoot }).catch((error) => {
      throw new SetupError(
        "The npm dependencies could not be installed.",
        error.message,
        "Read npm's message above; check that `npm ping` works on this machine, then run the command again.",
      );
    });
    say("The npm dependencies are installed.");
  }
  linkNodeProgram();
  if (!existsSync(nodeProgram)) {
    throw new SetupError(
      "Node.js 24 did not arrive with the npm dependencies.",
      `There is no package of it for ${process.platform} on ${process.arch}, or npm was told to omit optional dependencies.`,
      "Use Linux on x64 or arm64, unset npm's `omit` setting, remove node_modules and run the command again.",
    );
  }
  if (!(process.env.PATH ?? "").split(delimiter).includes(programsFolder)) {
    process.env.PATH = `${programsFolder}${delimiter}${process.env.PATH ?? ""}`;
  }
}

/**
 * Makes Node 24 the `node` of every npm script. npm 10 leaves this link out: the packages for the two processors name
 * the same program, and it drops the link together with the package that does not fit.
 */
export function linkNodeProgram() {
  const program = `../node-linux-${process.arch}/bin/node`;
  if (existsSync(nodeProgram) || !existsSync(join(programsFolder, program))) return;
  symlinkSync(program, nodeProgram);
}

/**
 * True when every package of the lock file is installed in its version. npm's own record of what it installed is
 * compared by content: the files' times say nothing after a checkout.
 *
 * @param {string} root
 */
export function dependenciesAreCurrent(root) {
  const wanted = readPackages(join(root, "package-lock.json"));
  const installed = readPackages(join(root, "node_modules/.package-lock.json"));
  if (wanted === undefined || installed === undefined) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    if (!path.startsWith("node_modules/") && !path.includes("/node_modules/")) return true;
    const found = installed[path];
    return found === undefined ? entry.optional === true : found.version === entry.version;
  });
}

/**
 * @param {string} file
 * @returns {Record<string, { version?: string, optional?: boolean }> | undefined}
 */
function readPackages(file) {
  if (!existsSync(file)) return undefined;
  return JSON.parse(readFileSync(file, "utf8")).packages;
}
