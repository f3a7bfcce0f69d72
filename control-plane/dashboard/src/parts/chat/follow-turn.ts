import { HEARTBEAT_MS } from "../../../../src/platform/stream-heartbeat.ts";
import { goToSignIn } from "../../client/ask.ts";
import { isForAnother, ownerHeaders } from "../../client/owner.ts";
import { newKey } from "../../client/reach.ts";
import { Refusal, refusalOf } from "../../client/refusal.ts";
import { EventReader, type StreamEvent } from "../../client/chat/event-reader.ts";
import "../shared-by-pages.ts";

/** A connection may die without an end: then nothing comes any more, and no error. */
const SILENCE_MS_MAX = 2.5 * HEARTBEAT_MS;

const NO_ANSWER = "The service did not answer. Check your connection.";
const LOST = "The connection was lost in the middle of the answer.";

interface Turn {
  path: string;
  body: object;
  onEvent(event: StreamEvent): void;
  /** Ends it: the person does not want the rest. */
  stop: AbortSignal;
}

/**
 * Sends what a person says or decides, and hands on what comes of it until it has ended, or was stopped.
 * @throws Refusal with the service's own reason; `unreachable` when no answer came, `lost` when it broke off, `stopped` when
 *   it was not even sent
 */
export async function followTurn({ path, body, onEvent, stop }: Turn): Promise<void> {
  if (stop.aborted) throw new Refusal("stopped", "It was stopped before it was sent.");
  const connection = new AbortController();
  const cut = () => connection.abort();
  stop.addEventListener("abort", cut);
  let silence = setTimeout(cut, SILENCE_MS_MAX);
  let hasBegun = false;
  try {
    const response = await fetch(path, {
      method: "POST",
      // Without this type, which no form can send, the control plane refuses whatever changes something.
      headers: {
        Accept: "text/event-stream",
        "Content-Type": "application/json",
        "Idempotency-Key": newKey(),
        ...Object.fromEntries(ownerHeaders()),
      },
      body: JSON.stringify(body),
      signal: connection.signal,
    });
    if (isForAnother(response)) location.reload();
    if (!response.ok || response.body === null) throw await refusedWith(response);
    hasBegun = true;
    const pieces = response.body.pipeThrough(new TextDecoderStream()).getReader();
    const events = new EventReader();
    for (;;) {
      const { done, value } = await pieces.read();
      if (done) throw new Refusal("lost", LOST);
      clearTimeout(silence);
      silence = setTimeout(cut, SILENCE_MS_MAX);
      for (const event of events.take(value)) {
        if (event.name === "done") return;
        onEvent(event);
      }
    }
  } catch (error) {
    if (stop.aborted) return;
    if (error instanceof Refusal) throw error;
    throw hasBegun ? new Refusal("lost", LOST) : new Refusal("unreachable", NO_ANSWER);
  } finally {
    clearTimeout(silence);
    stop.removeEventListener("abort", cut);
    connection.abort();
  }
}

async function refusedWith(response: Response): Promise<Refusal> {
  const body: unknown = await response.json().catch(() => undefined);
  const refusal = refusalOf(response.status, body);
  if (refusal.code === "unauthorized") goToSignIn();
  return refusal;
}
