import { setTimeout as delay } from "node:timers/promises";
import { CliError, EXIT, failed } from "../output/cli-error.ts";
import { unknownAuthority } from "../runtime/private-authority.ts";

export interface PatientFetchOptions {
  /** The service's address, for sentences. */
  url: string;
  /** Is told before it waits because the service asks for it. */
  onWait(seconds: number): void;
}

/** An answer that takes longer is none; what waits for a container to be up gets more. */
const ANSWER_MS_MAX = 60_000;
const SLOW_ANSWER_MS_MAX = 15 * 60_000;
const SLOW = /\/(rollback|action)$/;

/** A restart of the service takes a second or two. */
const RETRY_DELAYS_MS = [300, 1_000, 2_500];

/** A user's bucket is full again after half a minute; who waits longer competes with others of the same key. */
const WAITS_MAX = 10;
const WAIT_SECONDS_MAX = 120;

/** An upgrade of the service takes seconds; who is away for longer is not waited for. */
export const AWAY_MS_MAX = 120_000;

/**
 * fetch that waits when told to (429, Retry-After; not for a place for a stream, which may take hours), and tries again what could not be delivered when that can't do a
 * thing twice.
 * @throws CliError unreachable
 */
export function patientFetch({ url, onWait }: PatientFetchOptions): (request: Request) => Promise<Response> {
  return async (request) => {
    for (let attempt = 0, waits = 0; ;) {
      const response = await send(request.clone(), url).catch((error: unknown) => {
        if (attempt < RETRY_DELAYS_MS.length && mayRepeat(request) && !request.signal.aborted) return undefined;
        throw error;
      });
      if (response && waits < WAITS_MAX && (await asksToWait(response, attempt))) {
        waits += 1;
        await waitAsTold(response, onWait, request.signal);
        continue;
      }
      if (response && !(isOfProxy(response) && attempt < RETRY_DELAYS_MS.length && mayRepeat(request))) {
        if (isOfProxy(response)) throw unreachable(url, `it answered ${response.status} without a word of the service`);
        return response;
      }
      await response?.body?.cancel();
      await delay(RETRY_DELAYS_MS[attempt], undefined, { signal: request.signal });
      attempt += 1;
    }
  };
}

async function send(request: Request, url: string): Promise<Response> {
  const isStream = request.headers.get("Accept") === "text/event-stream";
  const limit = SLOW.test(new URL(request.url).pathname) ? SLOW_ANSWER_MS_MAX : ANSWER_MS_MAX;
  const signal = isStream ? request.signal : AbortSignal.any([request.signal, AbortSignal.timeout(limit)]);
  try {
    // A key must not follow a redirect to somebody else.
    return await fetch(request, { signal, redirect: "error" });
  } catch (error) {
    if (request.signal.aborted) throw error;
    throw unreachable(url, reasonOf(error));
  }
}

function mayRepeat({ method, headers }: Request): boolean {
  return method !== "POST" || headers.has("Idempotency-Key");
}

/** Too many writes; or what was sent again still runs for the first time, whose answer is the one to have. */
async function asksToWait(response: Response, attempt: number): Promise<boolean> {
  if (response.status === 429) return !(await isOutOfStreams(response));
  return response.status === 409 && attempt > 0 && response.headers.has("Retry-After");
}

async function isOutOfStreams(response: Response): Promise<boolean> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  return (body as { error?: unknown } | null | undefined)?.error === "too_many_streams";
}

/** A proxy in front of the service answers for it when it is away; its own refusals are JSON. */
function isOfProxy({ status, headers }: Response): boolean {
  return [502, 503, 504].includes(status) && !headers.get("Content-Type")?.startsWith("application/json");
}

async function waitAsTold(response: Response, onWait: (seconds: number) => void, signal: AbortSignal): Promise<void> {
  const seconds = Number(response.headers.get("Retry-After") ?? 5);
  await response.body?.cancel();
  if (!(seconds <= WAIT_SECONDS_MAX))
    throw failed("rate_limited", "The service asks to wait longer than svc does. Try again later.");
  if (response.status === 429) onWait(seconds);
  await delay(seconds * 1000, undefined, { signal });
}

export function unreachable(url: string, reason: string): CliError {
  return new CliError(
    "unreachable",
    `${url} could not be reached: ${reason}. Check that the address is right (--url, SVC_URL or svc login) and that ` +
      "the service runs.",
    EXIT.unreachable,
  );
}

/** Why a request got no answer, in words. */
export function reasonOf(error: unknown): string {
  if (error instanceof DOMException && error.name === "TimeoutError") return "it did not answer in time";
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const { code, message } = cause as { code?: string; message?: string };
  const authority = unknownAuthority(code);
  if (authority !== undefined) return authority;
  if (code?.includes("CERT")) return `its certificate is not valid: ${message ?? ""} (${code})`;
  return code ?? message ?? "the connection failed";
}
