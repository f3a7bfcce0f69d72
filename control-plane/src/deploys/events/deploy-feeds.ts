import { STEP_NAMES } from "@svc/shared/rules/steps.ts";
import { isTerminal } from "../deploy.ts";
import type { Db } from "../../platform/database/database.ts";
import { readDeployEvents, type DeployEventRow } from "./deploy-events.store.ts";
import { readDeployStatus } from "../deploys.store.ts";
import type { Notifications } from "../../ports.ts";
import { nextTurn } from "../../platform/next-turn.ts";
import { AtMost } from "../../platform/at-most.ts";

export interface DeployFeedsOptions {
  db: Db;
  notifications: Notifications;
  /** The slow look for events whose notification was lost. */
  pollMs: number;
}

/** The share of the pool's ten connections: followers that catch up leave the others to requests. */
const READS_AT_ONCE = 2;
const PAGE_ROWS = 32;
/** The most bytes that are kept because several followers of a deploy may need them again. */
const KEPT_BYTES_MAX = 256 * 1024;

/** Some events in their order, as they are sent; the same bytes for every follower. */
export interface EventPage {
  bytes: Uint8Array;
  /** Number of the last event. */
  last: string;
}

/** Whether the deploy has ended and nothing of it comes after that number. */
export async function isExhausted(db: Db, deployId: string, after: string): Promise<boolean> {
  const status = await readDeployStatus(db, deployId);
  if (status !== undefined && !isTerminal(status)) return false;
  return (await readDeployEvents(db, deployId, after, 1)).length === 0;
}

/** The deploys that are followed in this process, each with one reader for all of its followers. */
export class DeployFeeds {
  readonly #options: DeployFeedsOptions;
  readonly #feeds = new Map<string, DeployFeed>();
  readonly #reads = new AtMost(READS_AT_ONCE);

  constructor(options: DeployFeedsOptions) {
    this.#options = options;
    options.notifications.subscribe("deploy_events", (id) => {
      const told = id === undefined ? this.#feeds.values() : [this.#feeds.get(id)];
      for (const feed of told) feed?.ring();
    });
  }

  /** How many deploys are followed. */
  get size(): number {
    return this.#feeds.size;
  }

  /** Joins a feed; the caller calls `leave` once. */
  join(deployId: string): DeployFeed {
    let feed = this.#feeds.get(deployId);
    if (!feed) {
      const read = (after: string) => this.#reads.run(() => readPage(this.#options.db, deployId, after));
      const onEmpty = (): void => void this.#feeds.delete(deployId);
      feed = new DeployFeed({ read, pollMs: this.#options.pollMs, onEmpty });
      this.#feeds.set(deployId, feed);
    }
    feed.followers += 1;
    return feed;
  }
}

type Page = EventPage | "none yet" | "ended";

interface FeedOptions {
  read(after: string): Promise<Page>;
  pollMs: number;
  onEmpty(): void;
}

/**
 * One deploy's events for any number of followers, each at a number of its own. Nothing is queued for a follower: it asks
 * for the page after its number, and whoever asks for the same gets the same one, read once.
 */
export class DeployFeed {
  followers = 0;
  /** Counts the times when there may have been something new. */
  rings = 0;
  readonly #options: FeedOptions;
  readonly #pages = new Map<string, EventPage>();
  #bytes = 0;
  readonly #reading = new Map<string, Promise<Page>>();
  readonly #waiting = new Set<() => void>();
  readonly #timer: NodeJS.Timeout;

  constructor(options: FeedOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.ring(), options.pollMs).unref();
  }

  leave(): void {
    this.followers -= 1;
    if (this.followers > 0) return;
    clearInterval(this.#timer);
    this.#options.onEmpty();
  }

  ring(): void {
    this.rings += 1;
    // A read under way may have begun before the news.
    this.#reading.clear();
    for (const wake of this.#waiting) wake();
  }

  /** The events after that number. */
  page(after: string): Promise<Page> {
    const known = this.#pages.get(after);
    if (known) return Promise.resolve(known);
    const begun = this.#reading.get(after);
    if (begun) return begun;
    const reading = this.#options.read(after).then(async (page) => {
      await nextTurn();
      if (typeof page === "object" && this.followers > 1) this.#keep(after, page);
      return page;
    });
    this.#reading.set(after, reading);
    const forget = (): void => {
      if (this.#reading.get(after) === reading) this.#reading.delete(after);
    };
    reading.then(forget, forget);
    return reading;
  }

  /** Resolves when it rings, at once when it has since `rings` was read, or after `ms`; the signal ends the waiting. */
  async rung(since: number, ms: number, signal: AbortSignal): Promise<void> {
    if (this.rings !== since || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        signal.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#waiting.add(done);
      signal.addEventListener("abort", done);
    });
  }

  #keep(after: string, page: EventPage): void {
    if (this.#pages.has(after)) return;
    this.#pages.set(after, page);
    this.#bytes += page.bytes.length;
    for (const [oldest, { bytes }] of this.#pages) {
      if (this.#bytes <= KEPT_BYTES_MAX) break;
      this.#pages.delete(oldest);
      this.#bytes -= bytes.length;
    }
  }
}

async function readPage(db: Db, deployId: string, after: string): Promise<Page> {
  const rows = await readDeployEvents(db, deployId, after, PAGE_ROWS);
  const newest = rows.at(-1);
  if (newest) return { bytes: new TextEncoder().encode(rows.map(eventText).join("")), last: newest.number };
  return (await isExhausted(db, deployId, after)) ? "ended" : "none yet";
}

function eventText({ number, kind, step_order, payload, created_at }: DeployEventRow): string {
  const step = step_order === null ? {} : { step_name: STEP_NAMES[step_order - 1], step_order };
  const data = JSON.stringify({ time: created_at.toISOString(), ...step, ...payload });
  return `id: ${number}\nevent: ${kind}\ndata: ${data}\n\n`;
}
