import { open, type FileHandle } from "node:fs/promises";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Clock } from "@svc/shared/platform/clock.ts";
import {
  StepEventSchema,
  StepResultSchema,
  type StepEvent,
  type StepResult,
} from "@svc/shared/gen/svc/agent/v1/events_pb.ts";
import { LogBudget } from "../engine/logs/log-budget.ts";
import { toLogLines } from "../engine/logs/log-lines.ts";
import type { StepName } from "@svc/shared/rules/steps.ts";
import { formatEvent, parseEvent } from "./journal-file.ts";
import type { AppRef, RunOutput } from "../ports.ts";

/** One run of one step of one deploy. */
export interface RunKey {
  deployId: string;
  step: StepName;
  /** 1 or 2. */
  run: number;
}

/** Batches make 100,000 lines a second cheap (350,000/s against 9,000–31,000 one by one) and still feel immediate. */
const BATCH_LINES = 500;
const BATCH_BYTES = 256 * 1024;
const BATCH_MS = 50;

/** The bytes that a reader takes from the disk at a time. */
const READ_BYTES = 256 * 1024;

const NEWLINE = 10;

type EventBody = NonNullable<MessageInitShape<typeof StepEventSchema>["body"]>;

/**
 * The numbered events of one run. Written by the run, read by any number of streams, all of it through the file: a
 * reader that is slow, or comes back later, costs no memory.
 */
export class RunJournal implements RunOutput {
  readonly key: RunKey;
  readonly app: AppRef;
  readonly #path: string;
  readonly #clock: Clock;
  readonly #onWriteError: (error: unknown) => void;

  readonly #file: FileHandle | undefined;
  /** Length of the file up to the end of its last complete event. */
  #size: number;
  /** The number of the last event in the file. */
  #number: bigint;
  #result: StepResult | undefined;
  /** True when nothing more will be written. */
  #closed: boolean;

  readonly #budget = new LogBudget();
  #lines: string[] = [];
  #linesBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #queue: EventBody[] = [];
  #writing: Promise<void> | undefined;
  #wakers = new Set<() => void>();

  constructor(options: {
    key: RunKey;
    app: AppRef;
    path: string;
    clock: Clock;
    size: number;
    lastNumber: bigint;
    /** Open for writing; undefined for a run that has ended. */
    file: FileHandle | undefined;
    result: StepResult | undefined;
    onWriteError: (error: unknown) => void;
  }) {
    this.key = options.key;
    this.app = options.app;
    this.#path = options.path;
    this.#clock = options.clock;
    this.#size = options.size;
    this.#number = options.lastNumber;
    this.#file = options.file;
    this.#result = options.result;
    this.#closed = options.file === undefined;
    this.#onWriteError = options.onWriteError;
  }

  /** Is undefined while the run goes on. */
  get result(): StepResult | undefined {
    return this.#closed ? this.#result : undefined;
  }

  /** How many events are on disk. */
  get eventCount(): number {
    return Number(this.#number);
  }

  log(text: string): void {
    if (this.#result) return;
    for (const line of toLogLines(text)) {
      if (!this.#budget.admit(line)) continue;
      this.#lines.push(line);
      this.#linesBytes += line.length;
      if (this.#lines.length >= BATCH_LINES || this.#linesBytes >= BATCH_BYTES) this.#flushLines();
    }
    if (this.#lines.length > 0) this.#timer ??= setTimeout(() => this.#flushLines(), BATCH_MS);
  }

  progress(message: string): void {
    const line = toLogLines(message)[0] ?? "";
    if (this.#result || !this.#budget.admit(line)) return;
    this.#flushLines();
    this.#append({ case: "progress", value: { message: line } });
  }

  checkedOut(commitSha: string): void {
    if (this.#result) return;
    this.#flushLines();
    this.#append({ case: "checkedOut", value: { commitSha } });
  }

  /**
   * Writes the last event and ends the run; resolves once it is on disk, or once the disk has refused it. No reader
   * sees the result before: whoever has it may ask for the next step at once.
   */
  async finish(outcome: MessageInitShape<typeof StepResultSchema>["outcome"]): Promise<void> {
    if (this.#result) return;
    this.#flushLines();
    const rest = this.#budget.rest();
    if (rest) this.#append({ case: "logLines", value: { lines: rest.lines, dropped: BigInt(rest.dropped) } });
    this.#result = create(StepResultSchema, { outcome });
    await this.#writing;
    try {
      await this.#writeResult(this.#file!, this.#result);
    } catch (error) {
      this.#onWriteError(error);
    }
    this.#closed = true;
    this.#wake();
  }

  /**
   * The events after number `after`, in batches, until the result. The result always comes, as the last one: when the
   * disk had no room for it, or lost the journal's end with the host's power, it is numbered after what the reader has.
   * @throws the signal's reason when it aborts
   */
  async *events(after: bigint, signal: AbortSignal): AsyncGenerator<StepEvent[]> {
    const file = await open(this.#path, "r");
    try {
      const reader = new EventReader(file);
      let last = after;
      for (;;) {
        signal.throwIfAborted();
        const closed = this.#closed;
        const batch = await reader.readUpTo(this.#size);
        const fresh = batch.filter(({ number }) => number > last);
        if (fresh.length > 0) {
          last = fresh.at(-1)!.number;
          yield fresh;
          if (fresh.at(-1)!.body.case === "result") return;
        }
        if (reader.position < this.#size) continue;
        if (closed) {
          yield [this.#event(last + 1n, { case: "result", value: this.#result! })];
          return;
        }
        await this.#changed(reader.position, signal);
      }
    } finally {
      await file.close();
    }
  }

  #flushLines(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#lines.length === 0) return;
    const lines = this.#lines;
    this.#lines = [];
    this.#linesBytes = 0;
    this.#append({ case: "logLines", value: { lines } });
  }

  #append(body: EventBody): void {
    this.#queue.push(body);
    this.#writing ??= this.#writeQueue().finally(() => (this.#writing = undefined));
  }

  /** Numbers are given when an event reaches the disk, so that a refused write leaves no gap. */
  async #writeQueue(): Promise<void> {
    while (this.#queue.length > 0) {
      const bodies = this.#queue.splice(0);
      let number = this.#number;
      const bytes = Buffer.from(bodies.map((body) => formatEvent(this.#event(++number, body))).join(""));
      try {
        await writeAll(this.#file!, bytes, this.#size);
        this.#size += bytes.length;
        this.#number = number;
        this.#wake();
      } catch (error) {
        this.#onWriteError(error);
      }
    }
  }

  async #writeResult(file: FileHandle, value: StepResult): Promise<void> {
    try {
      const bytes = Buffer.from(formatEvent(this.#event(this.#number + 1n, { case: "result", value })));
      await writeAll(file, bytes, this.#size);
      await file.sync();
      this.#size += bytes.length;
      this.#number += 1n;
    } finally {
      await file.close();
    }
  }

  #event(number: bigint, body: EventBody): StepEvent {
    return create(StepEventSchema, { number, time: timestampFromDate(this.#clock.now()), body });
  }

  #wake(): void {
    const wakers = this.#wakers;
    this.#wakers = new Set();
    for (const wake of wakers) wake();
  }

  #changed(position: number, signal: AbortSignal): Promise<void> {
    if (this.#closed || this.#size > position) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        signal.removeEventListener("abort", wake);
        this.#wakers.delete(wake);
        resolve();
      };
      this.#wakers.add(wake);
      signal.addEventListener("abort", wake, { once: true });
    });
  }
}

async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    done += (await file.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
  }
}

/** Reads whole lines from the start of a journal; the first is its header, each further one an event. */
class EventReader {
  readonly #file: FileHandle;
  #carry: Buffer = Buffer.alloc(0);
  #headerSeen = false;
  position = 0;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  /** The next events, at most READ_BYTES of them and nothing beyond `size`. */
  async readUpTo(size: number): Promise<StepEvent[]> {
    const length = Math.min(READ_BYTES, size - this.position);
    if (length <= 0) return [];
    const buffer = Buffer.allocUnsafe(length);
    const { bytesRead } = await this.#file.read(buffer, 0, length, this.position);
    if (bytesRead === 0) throw new Error("the journal is shorter than it was");
    this.position += bytesRead;
    const bytes = Buffer.concat([this.#carry, buffer.subarray(0, bytesRead)]);
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    this.#carry = bytes.subarray(end);
    const lines = bytes.toString("utf8", 0, end).split("\n").slice(0, -1);
    if (!this.#headerSeen && lines.length > 0) {
      this.#headerSeen = true;
      lines.shift();
    }
    return lines.map(parseEvent);
  }
}
