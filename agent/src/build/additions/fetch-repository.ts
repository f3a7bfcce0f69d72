import { lstat, readdir, realpath, rename, rm, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { SvcError, type ErrorCode } from "@svc/shared/errors.ts";
import type { RepositoryFetch } from "../dockerfile/additions.ts";
import { quoted, refused } from "../dockerfile/text/refusal.ts";
import { explainFullDisk } from "../../platform/durable-file.ts";
import type { Git, OutboundPolicy } from "../../ports.ts";
import { ADDED_IN_ALL, type Addition, type FetchPlace } from "./addition.ts";

/** Errors that a repository's author can act on; any other is reported as it is. */
const ITS_AUTHORS: readonly ErrorCode[] = [
  "invalid_request",
  "ref_not_found",
  "repository_needs_credentials",
  "repository_not_found",
  "repository_too_large",
  "repository_unreachable",
];

/**
 * Fetches one commit's files as clones are fetched, and never with credentials: what the address names is the choice of
 * whoever wrote the Dockerfile. Neither `.git` nor submodules are among them.
 * @throws SvcError build_failed naming line and reason, disk_full; the signal's reason
 */
export async function fetchRepository(
  git: Git,
  fetch: RepositoryFetch,
  place: FetchPlace & { outbound: OutboundPolicy },
): Promise<Addition> {
  const { url, ref, folder } = fetch;
  const { path, left, outbound, output, signal } = place;
  const checkout = `${path}.checkout`;
  try {
    const request = { repoUrl: url.href, ref, directory: checkout, outbound, limits: left, output, signal };
    const { commitSha } = await git.checkout(request);
    await remove(join(checkout, ".git"));
    await rename(await requireFolder(fetch, checkout), path);
    await remove(checkout);
    output.log(`Fetched ${ref ?? "the default branch"} of ${url.href} for ADD: ${commitSha}`);
    const size = await sizeOf(fetch, place);
    const { mtime: modifiedAt } = await stat(path);
    return { kind: "folder", name: "repository", path, ...size, digest: [commitSha, ...folder].join("/"), modifiedAt };
  } catch (error) {
    throw explained(fetch, error);
  }
}

/** The folder that the ADD names, wherever links inside the repository lead. @throws SvcError build_failed */
async function requireFolder(fetch: RepositoryFetch, checkout: string): Promise<string> {
  const root = await realpath(checkout);
  const path = await realpath(join(root, ...fetch.folder)).catch(() => undefined);
  const isInside = path === root || path?.startsWith(root + sep);
  if (path !== undefined && isInside && (await stat(path)).isDirectory()) return path;
  throw notFetched(fetch, `It has no folder ${fetch.folder.join("/")} inside it. Check the part behind the colon.`);
}

/** Counts what an image can hold, and refuses what it can't. */
async function sizeOf(fetch: RepositoryFetch, { path, signal }: FetchPlace): Promise<{ bytes: number; files: number }> {
  // Without the types it would follow links, out of the repository and around.
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  let bytes = 0;
  for (const { parentPath, name } of entries) {
    signal.throwIfAborted();
    const found = await lstat(join(parentPath, name)).catch(() => undefined);
    if (found === undefined) throw notFetched(fetch, `It holds ${quoted(name)}, a name that is not UTF-8. Rename it.`);
    // In a layer such a name removes what follows the prefix.
    if (name.startsWith(".wh.")) {
      throw notFetched(fetch, `It holds ${quoted(name)}; no image holds names that begin with .wh. Rename it.`);
    }
    bytes += found.size;
  }
  return { bytes, files: entries.length };
}

function explained(fetch: RepositoryFetch, error: unknown): unknown {
  if (!(error instanceof SvcError) || !ITS_AUTHORS.includes(error.code)) return explainFullDisk(error);
  const rule = error.code === "repository_too_large" ? ` ${ADDED_IN_ALL}` : "";
  return notFetched(fetch, `${error.message}${rule}`, error);
}

function notFetched({ instruction, url }: RepositoryFetch, reason: string, cause?: unknown): SvcError {
  const { code, message } = refused(instruction, `${url.href} cannot be fetched. ${reason}`);
  return new SvcError(code, message, { cause });
}

function remove(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: 3 });
}
