import { existsSync, readFileSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

/** One file of the bundle. */
export interface BundleFile {
  /** Below the version's folder on a host. */
  path: string;
  /** Absolute, on this machine. */
  source: string;
  bytes: number;
  isProgram: boolean;
}

/** The agent, what it starts beside itself, and its unit. */
const FILES = [
  "dist/agent.mjs",
  "dist/name-server.mjs",
  "deploy/agent/run-agent.sh",
  "deploy/systemd/svc-agent.service",
];
/** What brings a host to where the agent can start, and makes base images there. */
const FOLDERS = ["deploy/setup", "deploy/base-images"];
/** The packages that the agent's bundle leaves out (deploy/bundle/build.mjs), with all that those need. */
const PACKAGES = ["dockerode"];

/**
 * All that a host needs, Node.js included, from the installation in this folder; sorted by path.
 * @param arch as Node.js names it
 */
export async function bundleFiles(root: string, arch: string): Promise<BundleFile[]> {
  const packages = packageFolders(root, PACKAGES);
  const listed = await Promise.all([...FOLDERS, ...packages].map((folder) => filesIn(root, folder)));
  const paths = [...FILES, ...listed.flat()].map((path) => ({ path, source: join(root, path) }));
  const node = { path: "bin/node", source: join(root, nodeProgram(arch)) };
  const files = await Promise.all(
    [...paths, node].map(async ({ path, source }) => {
      const { size, mode } = await stat(source);
      return { path, source, bytes: size, isProgram: (mode & 0o100) !== 0 };
    }),
  );
  return files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Whether the installation has Node.js for hosts of that processor: npm installs it for its own alone. */
export function hasNodeFor(root: string, arch: string): boolean {
  return existsSync(join(root, nodeProgram(arch)));
}

function nodeProgram(arch: string): string {
  return `node_modules/node-linux-${arch}/bin/node`;
}

/** Files of a folder and below it, tests left out; a package below it is listed by itself. */
async function filesIn(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  const found = await Promise.all(
    entries.map(async (entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return entry.name === "node_modules" ? [] : filesIn(root, path);
      return entry.isFile() && !entry.name.endsWith(".test.ts") ? [path] : [];
    }),
  );
  return found.flat();
}

interface Manifest {
  dependencies?: Record<string, string>;
}

/** The folders of the packages and of what they depend on, as Node.js finds them from where each lies. */
function packageFolders(root: string, names: readonly string[]): Set<string> {
  const folders = new Set<string>();
  const add = (name: string, from: string): void => {
    const folder = findPackage(root, name, from);
    // Whether an optional package is there depends on the processor.
    if (folder === undefined || folders.has(folder)) return;
    folders.add(folder);
    const { dependencies = {} } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as Manifest;
    for (const each of Object.keys(dependencies)) add(each, folder);
  };
  for (const name of names) add(name, "");
  return folders;
}

/** Looks from the folder upwards, as `require` does. */
function findPackage(root: string, name: string, from: string): string | undefined {
  for (let place = from; ; place = place.slice(0, Math.max(0, place.lastIndexOf("node_modules") - 1))) {
    const folder = join(place, "node_modules", name);
    if (existsSync(join(root, folder, "package.json"))) return folder;
    if (place === "") return undefined;
  }
}
