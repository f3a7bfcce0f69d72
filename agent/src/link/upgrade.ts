import { createHash } from "node:crypto";
import { mkdir, open, readdir, readFile, readlink, rename, rm, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { SvcError } from "@svc/shared/errors.ts";
import { syncDirectory } from "@svc/shared/platform/sync-directory.ts";
import { BUNDLE_FACTS, isBundleVersion } from "@svc/shared/rules/fleet-identity.ts";
import { isErrno, readIfPresent } from "../platform/durable-file.ts";
import type { Installation } from "../platform/installation.ts";

/** A bundle has some 130 MB. */
const BYTES_MAX = 1024 * 1024 * 1024;
/** Unpacking takes a second; a disk that the host's builds keep busy takes minutes to have it. */
const UNPACK_MS_MAX = 10 * 60_000;

export interface Upgrade {
  version: string;
  /** The archive's, in lower-case hex. */
  sha256: string;
}

/**
 * Puts a version beside those that are there; one that is whole already is not read again.
 * @param archive a tar archive
 * @throws SvcError invalid_request when it is not what was announced, disk_full; what the archive throws
 */
export async function unpackVersion(
  installation: Installation,
  { version, sha256 }: Upgrade,
  archive: AsyncIterable<Uint8Array>,
): Promise<void> {
  if (!isBundleVersion(version)) throw invalid(`its version is ${JSON.stringify(version)}`);
  const versions = join(installation.root, "versions");
  await removeOthers(installation, version);
  if ((await readdir(versions)).includes(version)) return;
  const [file, folder] = [join(versions, ".upgrade.tar"), join(versions, ".upgrade")];
  try {
    if ((await writeArchive(file, archive)) !== sha256) throw invalid("its SHA-256 is another than was announced");
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { mode: 0o755 });
    await promisify(execFile)("tar", ["-xf", file, "-C", folder, "--no-same-owner"], { timeout: UNPACK_MS_MAX });
    await rm(file);
    const facts = JSON.parse(await readFile(join(folder, BUNDLE_FACTS), "utf8")) as { version?: unknown };
    if (facts.version !== version) throw invalid(`it holds the version ${JSON.stringify(facts.version)}`);
    await syncTree(folder);
    await rename(folder, join(versions, version));
    await syncDirectory(versions);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw isFull(error) ? full(installation, error) : error;
  } finally {
    await rm(file, { force: true });
  }
}

/** @returns the SHA-256 of what was written, lower-case hex */
async function writeArchive(path: string, archive: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash("sha256");
  let bytes = 0;
  const file = await open(path, "w", 0o600);
  try {
    for await (const chunk of archive) {
      bytes += chunk.length;
      if (bytes > BYTES_MAX) throw invalid(`it is larger than ${BYTES_MAX} bytes`);
      hash.update(chunk);
      await file.writeFile(chunk);
    }
  } finally {
    await file.close();
  }
  return hash.digest("hex");
}

/** A host that loses its power right after must not find empty files. */
async function syncTree(folder: string): Promise<void> {
  await promisify(execFile)("sync", ["-f", folder], { timeout: UNPACK_MS_MAX });
}

/**
 * Has the next start of the agent be one of that version, on trial: `run-agent` (deploy/agent) goes back to the running one when it is not
 * linked. Done again from any point it ends the same.
 */
export async function switchVersion(installation: Installation, version: string): Promise<void> {
  const { root } = installation;
  await lead(root, "former", installation.version);
  await writeFile(trialFile(installation), "");
  await lead(root, "current", version);
}

async function lead(root: string, name: "current" | "former", version: string): Promise<void> {
  const draft = join(root, `.${name}`);
  await rm(draft, { force: true });
  await symlink(join("versions", version), draft);
  await rename(draft, join(root, name));
  await syncDirectory(root);
}

/** Whether the running version is to prove itself: the one before it may run meanwhile, where the disk was full. */
export async function isOnTrial(installation: Installation): Promise<boolean> {
  const { root, version } = installation;
  if (basename(await readlink(join(root, "current"))) !== version) return false;
  return (await readIfPresent(trialFile(installation))) !== undefined;
}

/** Removes what an upgrade has left that was cut off. */
export async function sweepUpgrades({ root }: Installation): Promise<void> {
  for (const each of [".upgrade.tar", ".upgrade", ".gone"]) {
    await rm(join(root, "versions", each), { recursive: true, force: true });
  }
}

/** The running version stays. */
export async function confirmVersion(installation: Installation): Promise<void> {
  await rm(trialFile(installation), { force: true });
  await syncDirectory(installation.root);
}

/** Makes room for a new version: of the others, the running one stays, and the one before it. */
async function removeOthers({ root, version }: Installation, next: string): Promise<void> {
  const former = await readlink(join(root, "former")).catch(() => "");
  const kept = new Set([version, next, former.slice(former.lastIndexOf("/") + 1)]);
  const versions = join(root, "versions");
  const gone = join(versions, ".gone");
  await rm(gone, { recursive: true, force: true });
  for (const each of await readdir(versions)) {
    if (!isBundleVersion(each) || kept.has(each)) continue;
    // A folder that has a version's name is whole, whenever this process dies.
    await rename(join(versions, each), gone);
    await rm(gone, { recursive: true, force: true });
  }
}

function trialFile({ root }: Installation): string {
  return join(root, "trial");
}

function invalid(what: string): SvcError {
  return new SvcError("invalid_request", `The agent refused the upgrade: ${what}.`);
}

/** By `write`, or by what `tar` says. */
function isFull(error: unknown): boolean {
  return isErrno(error, "ENOSPC") || isErrno(error, "EDQUOT") || /No space left|quota exceeded/i.test(String(error));
}

function full({ root }: Installation, cause: unknown): SvcError {
  const sentence = `The disk that holds ${root} is full. Free space on the server, then upgrade it again.`;
  return new SvcError("disk_full", sentence, { cause });
}
