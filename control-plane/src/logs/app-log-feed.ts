import { setTimeout as delay } from "node:timers/promises";
import { toSvcError } from "@svc/shared/errors.ts";
import { Redactor } from "@svc/shared/redaction/redact.ts";
import type { AppRow } from "../apps/app.ts";
import { platformStopOf } from "../apps/status/app-stops.ts";
import { LineRedactor } from "@svc/shared/redaction/line-redactor.ts";
import { appSecrets } from "../deploys/inputs/app-secrets.ts";
import { nextTurn } from "../platform/next-turn.ts";
import {
  agentLogs,
  platformLine,
  READ_LIMIT_MS,
  redactedLines,
  type LogBatch,
  type LogParts,
  type LogSourceName,
} from "./read-logs.ts";

/** Most lines that a follower may ask for. */
const HISTORY_LINES_MAX = 500;
/** Lines are kept for who joins or is slower than the others: four times the history. */
const KEPT_LINES_MAX = 2_000;
/** The bytes win over the lines: fifty logs of the longest lines are to cost one process less than 64 MiB. */
const KEPT_BYTES_MAX = 1024 * 1024;
/** A log that was rotated while it was counted is shorter than it was: then the history is what there is. */
const HISTORY_WAIT_MS = 2_000;
/** Values that were changed since are hidden too, for whoever came before; an app that changes them for ever forgets some. */
const SECRETS_MAX = 2_000;
/** As many characters again as an app has at most: a redactor of them is made within a fifth of a second. */
const SECRETS_CHARACTERS_MAX = 1024 * 1024;
/** An agent ends the container before it tells why; its status arrives in less than this. */
const STOP_HEARD_MS = 2_000;
const STOP_LOOK_MS = 250;
/** One event of a stream carries no more than this, or one line: a follower that does not read holds a few of them in memory. */
const BATCH_LINES_MAX = 500;
const BATCH_BYTES_MAX = 64 * 1024;

interface Line {
  /** Counts all lines of the feed, those that the agent left out too. */
  number: number;
  text: string;
  bytes: number;
}

/**
 * One log of one app, read once for all who follow it. Each is at a place of its own in the newest lines, which are the
 * same for all; the next ones are read when whoever is the furthest asks for them, so the fastest follower sets the pace.
 */
export class AppLogFeed {
  readonly #parts: LogParts;
  readonly #app: AppRow;
  readonly #source: LogSourceName;
  readonly #closing = new AbortController();
  readonly #secrets = new Set<string>();
  readonly #redactor = new LineRedactor(new Redactor([]));
  readonly #batches;
  #lines: Line[] = [];
  #bytes = 0;
  /** The number of the line that comes next. */
  #end = 0;
  #opening: Promise<void> | undefined;
  #reading: Promise<void> | undefined;
  #failure: unknown;
  hasEnded = false;

  constructor(parts: LogParts, app: AppRow, source: LogSourceName) {
    this.#parts = parts;
    this.#app = app;
    this.#source = source;
    const signal = this.#closing.signal;
    this.#batches = agentLogs(parts, app, { lines: HISTORY_LINES_MAX, source, follow: true, signal });
  }

  close(): void {
    this.hasEnded = true;
    this.#closing.abort();
    // A call that nobody was waiting for is let go as well.
    this.#batches.return(undefined).catch(() => undefined);
  }

  /**
   * The number of the first of the last `lines` lines, kept or not. A follower that joins sees none of the secrets of this moment.
   */
  async startFor(lines: number, signal: AbortSignal): Promise<number> {
    await this.#learnSecrets();
    await unlessAborted((this.#opening ??= this.#open()), signal);
    const firstKept = this.#lines[0]?.number ?? this.#end;
    return this.#lines.at(-lines)?.number ?? Math.min(firstKept, Math.max(0, this.#end - lines));
  }

  /** The lines at or after that number, and the number after it; no batch when nothing does yet. */
  after(number: number): { batch: LogBatch | undefined; last: number } {
    const lines = this.#batchFrom(this.#lines.findIndex((line) => line.number >= number));
    const end = lines.at(-1)?.number ?? this.#end - 1;
    const dropped = end + 1 - number - lines.length;
    const isEmpty = lines.length === 0 && dropped === 0;
    return { batch: isEmpty ? undefined : { lines: lines.map(({ text }) => text), dropped }, last: end + 1 };
  }

  #batchFrom(index: number): Line[] {
    if (index === -1) return [];
    const lines = this.#lines.slice(index, index + BATCH_LINES_MAX);
    let bytes = 0;
    const tooMany = lines.findIndex((line, i) => (bytes += line.bytes) > BATCH_BYTES_MAX && i > 0);
    return tooMany === -1 ? lines : lines.slice(0, tooMany);
  }

  /** Resolves when there may be more, or the log has ended. */
  more(signal: AbortSignal): Promise<void> {
    return unlessAborted((this.#reading ??= this.#read().finally(() => (this.#reading = undefined))), signal);
  }

  throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Reads the history, so that every follower finds the end of it, however many lines it asks for. */
  async #open(): Promise<void> {
    // A short answer whose stream broke says nothing about the log: it is asked for once more.
    const history = await this.#countHistory()
      .catch(() => this.#countHistory())
      .catch((error: unknown) => error);
    if (typeof history !== "number") return this.#endWith(history);
    const waited = AbortSignal.timeout(HISTORY_WAIT_MS);
    while (this.#end < history && !this.hasEnded && !waited.aborted) await this.more(waited);
  }

  async #countHistory(): Promise<number> {
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(READ_LIMIT_MS)]);
    const options = { lines: HISTORY_LINES_MAX, source: this.#source, follow: false, signal };
    let count = 0;
    for await (const { lines } of agentLogs(this.#parts, this.#app, options)) count += lines.length;
    return count;
  }

  async #read(): Promise<void> {
    try {
      const { done, value } = await this.#batches.next();
      await nextTurn();
      if (done) {
        this.#add(this.#redactor.end());
        await this.#sayWhyStopped(STOP_HEARD_MS);
        this.hasEnded = true;
        return;
      }
      this.#end += Number(value.dropped);
      this.#add(redactedLines(value, this.#redactor));
    } catch (error) {
      await this.#endWith(error);
    }
  }

  async #endWith(reason: unknown): Promise<void> {
    const isContainerGone = toSvcError(reason).code === "never_deployed";
    const isExplained = isContainerGone && (await this.#sayWhyStopped(0).catch(() => false));
    this.#failure = isExplained || this.#closing.signal.aborted ? undefined : reason;
    this.hasEnded = true;
  }

  /** @returns whether the platform keeps the app stopped, as far as it is known within `ms` */
  async #sayWhyStopped(ms: number): Promise<boolean> {
    const until = Date.now() + ms;
    while (this.#source === "container" && !this.#closing.signal.aborted) {
      const stop = await platformStopOf(this.#parts.db, this.#app.id);
      if (stop) this.#add([platformLine(stop)]);
      if (stop || Date.now() >= until) return stop !== undefined;
      await delay(STOP_LOOK_MS, undefined, { signal: this.#closing.signal }).catch(() => undefined);
    }
    return false;
  }

  #add(texts: readonly string[]): void {
    for (const text of texts) {
      const line = { number: this.#end++, text, bytes: Buffer.byteLength(text) };
      this.#lines.push(line);
      this.#bytes += line.bytes;
    }
    this.#dropOldest();
  }

  /** One line stays, however long. */
  #dropOldest(): void {
    let dropped = 0;
    for (let left = this.#lines.length; left > 1; left -= 1) {
      if (left <= KEPT_LINES_MAX && this.#bytes <= KEPT_BYTES_MAX) break;
      this.#bytes -= this.#lines[dropped]!.bytes;
      dropped += 1;
    }
    this.#lines.splice(0, dropped);
  }

  /** The app's variables may have changed since the last follower came: what is kept is redacted again. */
  async #learnSecrets(): Promise<void> {
    const secrets = await appSecrets(this.#parts, this.#app.id);
    if (secrets.every((secret) => this.#secrets.has(secret))) return;
    const characters = [...this.#secrets].reduce((sum, { length }) => sum + length, 0);
    if (this.#secrets.size > SECRETS_MAX || characters > SECRETS_CHARACTERS_MAX) this.#secrets.clear();
    for (const secret of secrets) this.#secrets.add(secret);
    const redactor = this.#parts.redactors.of([...this.#secrets]);
    this.#redactor.use(redactor);
    for (const line of this.#lines) {
      const [time = "", ...rest] = line.text.split(" ");
      line.text = [time, redactor.text(rest.join(" "))].join(" ");
      this.#bytes -= line.bytes;
      line.bytes = Buffer.byteLength(line.text);
      this.#bytes += line.bytes;
    }
    this.#dropOldest();
  }
}

async function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const aborted = Promise.withResolvers<void>();
  const onAbort = (): void => aborted.resolve();
  signal.addEventListener("abort", onAbort);
  await Promise.race([work, aborted.promise]).finally(() => signal.removeEventListener("abort", onAbort));
}
