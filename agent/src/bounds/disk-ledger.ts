import type { DiskUse, MeasuredPlace } from "../domain/disk-limits.ts";
import type { StoragePlace } from "../ports.ts";

/** Growth is told over one to two times this, in milliseconds: a container that fills a disk does so in less time. */
const SPAN_MS = 60_000;
/** Between two looks at a small container. */
const REST_MS_MIN = 5_000;
/** Rest for each file: du takes 3 to 5 ms for a thousand, so that a container costs at most 5 % of a core. */
const REST_MS_PER_FILE = 0.1;
/** While the disk's free space falls fast, each container is looked at so many times as often. */
const HASTE = 5;

interface Entry {
  use: DiskUse;
  at: number;
  /** At the start of this span, and of the one before. */
  spanStart: { use: DiskUse; at: number };
  former: DiskUse;
}

const NOTHING: DiskUse = { bytes: 0, files: 0 };

/** What is known of each container's size, and when it has to be measured again. Times in milliseconds. */
export class DiskLedger {
  readonly #entries = new Map<string, Entry>();

  /** Small ones first: they are measured soon. */
  due(places: readonly StoragePlace[], now: number, isHasty: boolean): StoragePlace[] {
    return places
      .filter(({ containerId }) => now >= this.#dueAt(containerId, isHasty))
      .toSorted((a, b) => this.#filesOf(a) - this.#filesOf(b));
  }

  /** When the next container that is known is due. */
  nextDueAt(now: number, isHasty: boolean): number {
    return Math.min(now + REST_MS_MIN, ...[...this.#entries.keys()].map((id) => this.#dueAt(id, isHasty)));
  }

  record(containerId: string, use: DiskUse, now: number): void {
    const { spanStart, former } = this.#entries.get(containerId) ?? {
      spanStart: { use: NOTHING, at: now },
      former: NOTHING,
    };
    const span =
      now - spanStart.at < SPAN_MS ? { spanStart, former } : { spanStart: { use, at: now }, former: spanStart.use };
    this.#entries.set(containerId, { use, at: now, ...span });
  }

  /** The containers that are known; one that is gone is forgotten. */
  measured(places: readonly StoragePlace[]): MeasuredPlace[] {
    const ids = new Set(places.map(({ containerId }) => containerId));
    for (const id of this.#entries.keys()) if (!ids.has(id)) this.#entries.delete(id);
    return places.flatMap((place) => {
      const entry = this.#entries.get(place.containerId);
      return entry ? [{ ...place, use: entry.use, former: entry.former }] : [];
    });
  }

  #dueAt(containerId: string, isHasty: boolean): number {
    const entry = this.#entries.get(containerId);
    if (!entry) return 0;
    const restMs = Math.max(REST_MS_MIN, entry.use.files * REST_MS_PER_FILE);
    return entry.at + restMs / (isHasty ? HASTE : 1);
  }

  #filesOf({ containerId }: StoragePlace): number {
    return this.#entries.get(containerId)?.use.files ?? 0;
  }
}
