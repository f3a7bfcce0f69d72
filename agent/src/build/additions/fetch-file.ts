import { createHash } from "node:crypto";
import { open, utimes } from "node:fs/promises";
import { posix } from "node:path";
import { SvcError } from "@svc/shared/errors.ts";
import { OutboundError, type GuardedFetch } from "@svc/shared/net/guarded-fetch.ts";
import type { FileFetch } from "../dockerfile/additions.ts";
import { refused } from "../dockerfile/text/refusal.ts";
import { explainFullDisk } from "../../platform/durable-file.ts";
import { ADDED_IN_ALL, type Addition, type FetchPlace } from "./addition.ts";

/**
 * These are as many redirects as BuildKit's own client follows for files in practice: a mirror, a CDN, a signed
 * address.
 */
const HOPS_MAX = 5;

/** Hosts that make a file on demand take some seconds. */
const ANSWER_MS_MAX = 30_000;

const REDIRECTS = [301, 302, 303, 307, 308];

/** Fetches a file, each redirect checked like the first address. @throws SvcError build_failed, disk_full; the signal's reason */
export async function fetchFile(guard: GuardedFetch, fetch: FileFetch, place: FetchPlace): Promise<Addition> {
  place.output.progress(`fetching ${shownAddress(fetch.url)}`);
  try {
    let url = fetch.url;
    for (let hop = 0; hop <= HOPS_MAX; hop += 1) {
      const answer = await receiveFile(guard, url, fetch, place);
      if (!(answer instanceof URL)) return { ...answer, kind: "file", name: nameOf(fetch.url) };
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
  fetch: FileFetch,
  { path, left, signal }: FetchPlace,
): Promise<Omit<Addition, "kind" | "name"> | URL> {
  return guard.receive({ url, method: "GET", timeoutMs: ANSWER_MS_MAX, signal }, async ({ status, headers, body }) => {
    if (REDIRECTS.includes(status)) return nextAddress(fetch, url, String(headers["location"] ?? ""));
    if (status !== 200) throw notFetched(fetch, `Its host answers with status ${status}.`);
    const hash = createHash("sha256");
    const file = await open(path, "w", 0o600);
    let bytes = 0;
    try {
      for await (const chunk of body) {
        bytes += chunk.length;
        if (bytes > left.bytesMax) throw notFetched(fetch, `${ADDED_IN_ALL} Fetch it when the app runs.`);
        hash.update(chunk);
        await file.writeFile(chunk);
      }
    } finally {
      await file.close();
    }
    const modifiedAt = new Date(String(headers["last-modified"] ?? ""));
    const time = Number.isNaN(modifiedAt.getTime()) ? new Date(0) : modifiedAt;
    await utimes(path, time, time);
    return { path, bytes, files: 1, digest: hash.digest("hex"), modifiedAt: time };
  });
}

function nextAddress(fetch: FileFetch, from: URL, location: string): URL {
  const next = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  const isPlain = next !== undefined && /^https?:$/.test(next.protocol) && next.username === "" && next.password === "";
  if (!isPlain || location === "")
    throw notFetched(fetch, "It redirects to an address that is neither http nor https.");
  return next;
}

/** The same address may be asked for with several checksums. @throws SvcError build_failed */
export function requireChecksum(fetch: FileFetch, { digest }: Addition): void {
  if (fetch.sha256 === undefined || fetch.sha256 === digest) return;
  throw notFetched(fetch, `--checksum is sha256:${fetch.sha256}, and what came has sha256:${digest}.`);
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

/** Returns the URL without its query, which may hold a token. */
function shownAddress({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}

function notFetched({ instruction, url }: FileFetch, reason: string, cause?: unknown): SvcError {
  const error = refused(instruction, `${shownAddress(url)} cannot be fetched. ${reason}`);
  return cause === undefined ? error : new SvcError(error.code, error.message, { cause });
}
