import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, utimes } from "node:fs/promises";
import { join, posix } from "node:path";
import { SvcError } from "@svc/shared/errors.ts";
import { createGuardedFetch, OutboundError, type GuardedFetch } from "@svc/shared/net/guarded-fetch.ts";
import type { Fetch } from "../domain/dockerfile/additions.ts";
import { explainFullDisk } from "../durable-file.ts";
import { refused } from "../domain/dockerfile/refusal.ts";

/** Beyond it lie data sets, which belong on a volume; a browser or a JDK has a third of it. */
const BYTES_MAX = 1024 ** 3;

/** As many redirects as BuildKit's own client follows for files in practice: a mirror, a CDN, a signed address. */
const HOPS_MAX = 5;

/** Hosts that make a file on demand take some seconds. */
const ANSWER_MS_MAX = 30_000;

const REDIRECTS = [301, 302, 303, 307, 308];

/** A file that was fetched, below the folder of its build. */
export interface FetchedFile {
  /** As an ADD names it, when its target is a folder. */
  name: string;
  path: string;
  bytes: number;
  sha256: string;
  modifiedAt: Date;
}

export interface FetchOptions {
  /** Made when missing; whoever made the request removes it. */
  directory: string;
  outbound: { allowCidrs: readonly string[]; caPem: string };
  onProgress: (message: string) => void;
  signal: AbortSignal;
}

/**
 * Fetches what ADD instructions name, as the platform and not as the engine: from public addresses, each redirect
 * checked like the first address. The same address is fetched once.
 * @throws SvcError build_failed naming line and reason, disk_full; the signal's reason
 */
export async function fetchAdditions(
  fetches: readonly Fetch[],
  options: FetchOptions,
): Promise<ReadonlyMap<Fetch, FetchedFile>> {
  const guard = createGuardedFetch({ ...options.outbound, dnsServers: [] });
  const byAddress = new Map<string, FetchedFile>();
  const files = new Map<Fetch, FetchedFile>();
  await mkdir(options.directory, { recursive: true, mode: 0o700 });
  for (const fetch of fetches) {
    const known = byAddress.get(fetch.url.href);
    const bytesLeft = BYTES_MAX - [...byAddress.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    const path = join(options.directory, String(byAddress.size));
    const file = known ?? (await fetchOne(guard, fetch, { ...options, path, bytesLeft }));
    byAddress.set(fetch.url.href, file);
    requireChecksum(fetch, file);
    files.set(fetch, file);
  }
  return files;
}

type OneOptions = FetchOptions & { path: string; bytesLeft: number };

async function fetchOne(guard: GuardedFetch, fetch: Fetch, options: OneOptions): Promise<FetchedFile> {
  options.onProgress(`fetching ${shownAddress(fetch.url)}`);
  try {
    let url = fetch.url;
    for (let hop = 0; hop <= HOPS_MAX; hop += 1) {
      const answer = await receiveFile(guard, url, fetch, options);
      if (!(answer instanceof URL)) return { ...answer, name: nameOf(fetch.url) };
      url = answer;
    }
    throw notFetched(fetch, `It is redirected more than ${HOPS_MAX} times.`);
  } catch (error) {
    if (error instanceof OutboundError) throw notFetched(fetch, error.message, error);
    throw explainFullDisk(error);
  }
}

/** The file, or the address that the answer leads to. */
function receiveFile(
  guard: GuardedFetch,
  url: URL,
  fetch: Fetch,
  { path, bytesLeft, signal }: OneOptions,
): Promise<Omit<FetchedFile, "name"> | URL> {
  return guard.receive({ url, method: "GET", timeoutMs: ANSWER_MS_MAX, signal }, async ({ status, headers, body }) => {
    if (REDIRECTS.includes(status)) return nextAddress(fetch, url, String(headers["location"] ?? ""));
    if (status !== 200) throw notFetched(fetch, `Its host answers with status ${status}.`);
    const hash = createHash("sha256");
    const file = await open(path, "w", 0o600);
    let bytes = 0;
    try {
      for await (const chunk of body) {
        bytes += chunk.length;
        if (bytes > bytesLeft)
          throw notFetched(fetch, "What a build adds may have 1 GiB in all. Fetch it when the app runs.");
        hash.update(chunk);
        await file.writeFile(chunk);
      }
    } finally {
      await file.close();
    }
    const modifiedAt = new Date(String(headers["last-modified"] ?? ""));
    const time = Number.isNaN(modifiedAt.getTime()) ? new Date(0) : modifiedAt;
    await utimes(path, time, time);
    return { path, bytes, sha256: hash.digest("hex"), modifiedAt: time };
  });
}

function nextAddress(fetch: Fetch, from: URL, location: string): URL {
  const next = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  const isPlain = next !== undefined && /^https?:$/.test(next.protocol) && next.username === "" && next.password === "";
  if (!isPlain || location === "") throw notFetched(fetch, "It is redirected to what is no http or https address.");
  return next;
}

function requireChecksum(fetch: Fetch, { sha256 }: FetchedFile): void {
  if (fetch.sha256 === undefined || fetch.sha256 === sha256) return;
  throw notFetched(fetch, `--checksum is sha256:${fetch.sha256}, and what came has sha256:${sha256}.`);
}

/** The last part of the address's path; characters that a pattern of COPY would read are replaced. */
function nameOf({ pathname }: URL): string {
  let name = posix.basename(pathname);
  try {
    name = posix.basename(decodeURIComponent(name));
  } catch {
    // It stays as it is written.
  }
  const safe = name.replaceAll(/[^\w.+@=, -]/g, "_").slice(0, 200);
  return safe === "" || safe === "." || safe === ".." ? "__unnamed__" : safe;
}

/** Without its query, which may hold a token. */
function shownAddress({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}

function notFetched({ instruction, url }: Fetch, reason: string, cause?: unknown): SvcError {
  const error = refused(instruction, `${shownAddress(url)} cannot be fetched. ${reason}`);
  return cause === undefined ? error : new SvcError(error.code, error.message, { cause });
}

/** The file's bytes, read as fast as they are taken. */
export function readFetched({ path }: FetchedFile): AsyncIterable<Buffer> {
  return createReadStream(path);
}
