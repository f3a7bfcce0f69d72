import type { DiskUse, MeasuredPlace } from "../engine/disk-limits.ts";
import type { StoragePlace } from "../ports.ts";

/** Growth is told over one to two times this, in milliseconds: a container that fills a disk does so in less time. */
const SPAN_MS = 60_000;
/** A small container rests as long between two looks. */
const REST_MS_MIN = 5_000;
/** A container rests as long for each file: du takes 3 to 5 ms for a thousand, so that it costs at most 5 % of a core. */
const REST_MS_PER_FILE = 0.1;
/** Each container is looked at so many times as often: hasty while the free space falls fast, urgent while it is short. */
const HASTE = { calm: 1, hasty: 5, urgent: Infinity };

export type Pace = keyof typeof HASTE;

interface Entry {
  use: DiskUse;
  at: number;
  /** The start of this span; `former` is the use at the start of the one before. */
  spanStart: { use: DiskUse; at: number };
  former: DiskUse;
}

const NOTHING: DiskUse = { bytes: 0, files: 0 };

/** Knows each container's size, and when it has to be measured again. Times in milliseconds. */
export class DiskLedger {
  readonly #entries = new Map<string, Entry>();
  /** Containers of the first look: nobody knows for how long they have held what they hold, so that it is no growth. */
  #old: ReadonlySet<string> | undefined;

  /** Returns the containers to measure, small ones first: they are measured soon. */
  due(places: readonly StoragePlace[], now: number, pace: Pace): StoragePlace[] {
    this.#old ??= new Set(places.map(({ containerId }) => containerId));
    return places
      .filter(({ containerId }) => now >= this.#dueAt(containerId, pace))
      .toSorted((a, b) => this.#filesOf(a) - this.#filesOf(b));
  }

  /** Returns when the next container that is known is due. */
  nextDueAt(now: number, pace: Pace): number {
    return Math.min(now + REST_MS_MIN, ...[...this.#entries.keys()].map((id) => this.#dueAt(id, pace)));
  }

  record(containerId: string, use: DiskUse, now: number): void {
    const baseline = this.#old?.has(containerId) ? use : NOTHING;
    const entry = this.#entries.get(containerId) ?? { spanStart: { use: baseline, at: now }, former: baseline };
    const { spanStart, former } = entry;
    const span =
      now - spanStart.at < SPAN_MS ? { spanStart, former } : { spanStart: { use, at: now }, former: spanStart.use };
    this.#entries.set(containerId, { use, at: now, ...span });
  }

  /** Returns the containers that are known, and forgets those that are gone. */
  measured(places: readonly StoragePlace[]): MeasuredPlace[] {
    const ids = new Set(places.map(({ containerId }) => containerId));
    for (const id of this.#entries.keys()) if (!ids.has(id)) this.#entries.delete(id);
    return places.flatMap((place) => {
      const entry = this.#entries.get(place.containerId);
      return entry ? [{ ...place, use: entry.use, former: entry.former }] : [];
    });
  }

  #dueAt(containerId: string, pace: Pace): number {
    const entry = this.#entries.get(containerId);
    if (!entry) return 0;
    const restMs = Math.max(REST_MS_MIN, entry.use.files * REST_MS_PER_FILE);
    return entry.at + restMs / HASTE[pace];
  }

  #filesOf({ containerId }: StoragePlace): number {
    return this.#entries.get(containerId)?.use.files ?? 0;
  }
}
