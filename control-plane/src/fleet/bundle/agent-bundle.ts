import { createHash } from "node:crypto";
import { createReadStream, existsSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { pack, type Pack } from "tar-stream";
import { SvcError } from "@svc/shared/errors.ts";
import { BUNDLE_FACTS } from "@svc/shared/rules/fleet-identity.ts";
import manifest from "../../../package.json" with { type: "json" };
import { bundleFiles, hasNodeFor, type BundleFile } from "./bundle-files.ts";

/** The agent of this installation, for a host that has nothing but an operating system (decision 042). */
export interface AgentBundle {
  /** The release, and after a plus sign what its files are: the same files have the same version. */
  version: string;
  /** The archive's, in lower-case hex. */
  sha256: string;
  /** Size of the archive. */
  bytes: number;
  /** The tar archive; the same bytes each time, as long as nobody changes the installation. */
  stream(): AsyncIterable<Buffer>;
}

/** Folders from this module to the installation: from the bundle of this daemon, and from its sources. */
const PLACES = ["..", "../../../.."];
const INSTALLER = "deploy/agent/install-agent.sh";

interface ReadBundle extends AgentBundle {
  builtAt: number;
}
const bundles = new Map<string, Promise<ReadBundle>>();

/**
 * Read once in a process's life: some 130 MB, most of it Node.js.
 * @param arch of the host, as Node.js or `uname -m` names it
 * @throws SvcError not_found where this installation has no agent, or none for that processor; internal when it was built anew since
 */
export async function openAgentBundle(arch: string): Promise<AgentBundle> {
  const known = ARCHITECTURES[arch];
  const root = installation();
  if (known === undefined || !hasNodeFor(root, known)) throw noBundleFor(arch);
  const bundle = bundles.get(known) ?? read(root, known);
  bundles.set(known, bundle);
  bundle.catch(() => bundles.delete(known));
  const { version, sha256, bytes, stream, builtAt } = await bundle;
  if (builtAtOf(root) !== builtAt) throw builtSince();
  return { version, sha256, bytes, stream };
}

/** The script that installs the agent on a host, with its SHA-256 in lower-case hex. @throws SvcError not_found */
export async function readInstaller(): Promise<{ script: Buffer<ArrayBuffer>; sha256: string }> {
  const script = await readFile(join(installation(), INSTALLER));
  return { script, sha256: createHash("sha256").update(script).digest("hex") };
}

const ARCHITECTURES: Readonly<Partial<Record<string, string>>> = {
  x86_64: "x64",
  x64: "x64",
  aarch64: "arm64",
  arm64: "arm64",
};

/** When the agent was built; milliseconds since 1970. */
function builtAtOf(root: string): number {
  return statSync(join(root, "dist/agent.mjs")).mtimeMs;
}

/** The files are no longer those that were announced. */
function builtSince(): SvcError {
  return new SvcError(
    "internal",
    "The control plane's installation was built anew since it was started. Restart the control plane, then run the command again.",
  );
}

async function read(root: string, arch: string): Promise<ReadBundle> {
  const builtAt = builtAtOf(root);
  const files = await bundleFiles(root, arch);
  const version = `${manifest.version}+${(await digestOf(files)).slice(0, 12)}`;
  const stream = (): AsyncIterable<Buffer> => archive(files, version);
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of stream()) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { version, sha256: hash.digest("hex"), bytes, stream, builtAt };
}

/** A digest of the files' paths and content. */
async function digestOf(files: readonly BundleFile[]): Promise<string> {
  const all = createHash("sha256");
  for (const { path, source, isProgram } of files) {
    const hash = createHash("sha256");
    await pipeline(createReadStream(source), hash);
    all.update(`${path} ${isProgram} ${hash.digest("hex")}\n`);
  }
  return all.digest("hex");
}

async function* archive(files: readonly BundleFile[], version: string): AsyncGenerator<Buffer> {
  const tar = pack();
  write(tar, files, version).then(
    () => tar.finalize(),
    (error: unknown) => tar.destroy(error instanceof Error ? error : new Error(String(error))),
  );
  try {
    for await (const chunk of tar) yield chunk as Buffer;
  } finally {
    tar.destroy();
  }
}

/** Nothing in the archive says when or by whom it was made. */
const UNTIMED = { mtime: new Date(0) };

async function write(tar: Pack, files: readonly BundleFile[], version: string): Promise<void> {
  tar.entry({ name: BUNDLE_FACTS, mode: 0o644, ...UNTIMED }, JSON.stringify({ version }));
  for (const { path, source, bytes, isProgram } of files) {
    const entry = tar.entry({ name: path, size: bytes, mode: isProgram ? 0o755 : 0o644, ...UNTIMED });
    await pipeline(createReadStream(source), entry);
  }
}

function installation(): string {
  const folders = PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  const root = folders.find((folder) => existsSync(join(folder, INSTALLER)));
  if (root !== undefined) return root;
  throw new SvcError(
    "not_found",
    `This installation of the control plane has no ${INSTALLER}: it was not started from its folder.`,
  );
}

function noBundleFor(arch: string): SvcError {
  return new SvcError(
    "not_found",
    `The control plane has no agent for a host of the processor ${JSON.stringify(arch)}, only for its own ` +
      `(${process.arch}). Start the agent there from the sources: \`npm run agent\`.`,
  );
}
