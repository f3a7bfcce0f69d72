import { isForAnother, ownerHeaders } from "./owner.ts";
import { presentPage } from "./present-page.ts";
import { Refusal } from "./refusal.ts";

/** A connection that has died answers nothing, for ever. Milliseconds. A search waits for its turn; a change may take as long as an app takes to stop. */
export const READ_MS_MAX = 15_000;
export const SEARCH_MS_MAX = 35_000;
const CHANGE_MS_MAX = 300_000;

interface Asking {
  /** Is how long an answer to a read may take. */
  msMax?: number;
  /** Asks; it is the present one by default. */
  page?: AbortSignal;
}

/**
 * Sends a request to the control plane. A change has a key of its own: where a browser sends one again by itself, since its
 * connection broke, it is done once. A page that was left hears no answer, as if its document had ended. An answer for another
 * person than the page's is not heard either: the page is loaded again.
 * @throws Refusal unreachable, also when no answer comes in time
 */
export async function reach(request: Request, asking: Asking = {}): Promise<Response> {
  const { msMax = READ_MS_MAX, page = presentPage() } = asking;
  const isChange = request.method !== "GET";
  if (isChange) request.headers.set("Idempotency-Key", newKey());
  for (const [name, value] of ownerHeaders()) request.headers.set(name, value);
  const signal = AbortSignal.timeout(isChange ? CHANGE_MS_MAX : msMax);
  // The page may be left, or the connection break, while the answer's body comes.
  const response = await (takeBegun(request) ?? fetch(request, { signal })).then(readWhole).catch(() => undefined);
  const isForOthers = response !== undefined && isForAnother(response);
  if (isForOthers) location.reload();
  if (page.aborted || isForOthers) return new Promise(() => undefined);
  if (response !== undefined) return response;
  throw new Refusal(
    "unreachable",
    isChange
      ? "The service did not answer. Load the page again to see whether it was done."
      : "The service can't be reached. Check your connection and try again.",
  );
}

/** Answers that were asked for already, by address. */
const begun = new Map<string, Promise<Response>>();

/** Begins what the script of a page reads as soon as it runs: it takes each answer, once. */
export function beginReads(paths: readonly string[]): void {
  begun.clear();
  for (const path of paths) {
    const request = new Request(path, { headers: ownerHeaders(), signal: AbortSignal.timeout(READ_MS_MAX) });
    const answer = fetch(request);
    answer.catch(() => undefined);
    begun.set(request.url, answer);
  }
}

/** A change has another method, and takes nothing. */
function takeBegun({ method, url }: Request): Promise<Response> | undefined {
  const answer = method === "GET" ? begun.get(url) : undefined;
  begun.delete(url);
  return answer;
}

async function readWhole(response: Response): Promise<Response> {
  await response.clone().arrayBuffer();
  return response;
}

/** Random, by what a page has that did not come over TLS, too. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("-");
}
