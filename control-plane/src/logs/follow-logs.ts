import type { AppRow } from "../apps/app.ts";
import { AppLogFeed } from "./app-log-feed.ts";
import type { LogBatch, LogParts, LogSourceName } from "./read-logs.ts";

/** The logs that are followed in this process: all who follow the same one share one stream of its agent. */
export class LogFollowers {
  readonly #feeds = new Map<string, { feed: AppLogFeed; followers: number }>();

  /** How many logs are followed. */
  get size(): number {
    return this.#feeds.size;
  }

  /**
   * The last lines, then what the app writes, until its container's end or the signal. Whoever takes lines as they come
   * gets all of them; who is slower than the others is told how many were left out.
   * @throws SvcError never_deployed, agent_away
   */
  async *follow(
    parts: LogParts,
    app: AppRow,
    { lines, source, signal }: { lines: number; source: LogSourceName; signal: AbortSignal },
  ): AsyncGenerator<LogBatch> {
    if (signal.aborted) return;
    const feed = this.#join(parts, app, source, signal);
    let next = await feed.startFor(lines, signal);
    while (!signal.aborted) {
      const { batch, last } = feed.after(next);
      next = last;
      if (batch) yield batch;
      else if (feed.hasEnded) return feed.throwFailure();
      else await feed.more(signal);
    }
  }

  /** Is left when the signal aborts, even by a follower that waits for its client. */
  #join(parts: LogParts, app: AppRow, source: LogSourceName, signal: AbortSignal): AppLogFeed {
    const key = `${app.server_id} ${app.id} ${source}`;
    const isOpen = this.#feeds.get(key)?.feed.hasEnded === false;
    const entry = isOpen ? this.#feeds.get(key)! : { feed: new AppLogFeed(parts, app, source), followers: 0 };
    this.#feeds.set(key, entry);
    entry.followers += 1;
    const leave = (): void => {
      entry.followers -= 1;
      if (entry.followers > 0) return;
      entry.feed.close();
      if (this.#feeds.get(key) === entry) this.#feeds.delete(key);
    };
    signal.addEventListener("abort", leave, { once: true });
    return entry.feed;
  }
}
