import { once } from "node:events";
import type { ContainerEvent } from "../ports.ts";

/** Events of containers, in memory, and the callers that wait for more. */
export class DummyEvents {
  readonly #events: ContainerEvent[] = [];
  /** Aborted, and replaced, when there is more. */
  #news = new AbortController();

  tell(event: ContainerEvent): void {
    this.#events.push(event);
    this.#news.abort();
    this.#news = new AbortController();
  }

  async *since(since: Date, signal: AbortSignal): AsyncGenerator<ContainerEvent> {
    for (let next = 0; !signal.aborted; next += 1) {
      if (next === this.#events.length) await once(AbortSignal.any([signal, this.#news.signal]), "abort");
      const event = this.#events[next];
      if (event !== undefined && event.time >= since) yield event;
      if (event === undefined) return;
    }
  }
}
