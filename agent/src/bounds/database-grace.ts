import { excessOf, limitOf, type DiskLimits, type DiskUse, type MeasuredPlace } from "../engine/disk-limits.ts";

/** A database may grow by this factor while its app deletes from it: a DELETE writes before it frees. */
const GROWTH = 1.05;
/** No database may take more than this factor of its limit, however often the app is started. */
const CEILING = 1.25;

/**
 * Lets databases take more than their limit, so that the owner of an app that was stopped for it can start the app and
 * delete data. The first look at a database counts as such a start: the agent may have begun in the midst of it.
 */
export class DatabaseGrace {
  readonly #allowed = new Map<string, DiskUse>();
  readonly #seen = new Set<string>();

  /** Returns what the container may take at this look. */
  limitOf(place: MeasuredPlace, limits: DiskLimits): DiskUse {
    const limit = limitOf(place, limits);
    if (place.role === "app") return limit;
    const { containerId, use } = place;
    if (excessOf(use, limit) === undefined) this.#allowed.delete(containerId);
    else if (!this.#seen.has(containerId)) this.renew(place, limits);
    this.#seen.add(containerId);
    return this.#allowed.get(containerId) ?? limit;
  }

  /** Allows the next start to begin from what the database holds. Call it while its app does not run. */
  renew(place: MeasuredPlace, limits: DiskLimits): void {
    const limit = limitOf(place, limits);
    const allow = (unit: keyof DiskUse): number =>
      Math.max(limit[unit], Math.min(place.use[unit] * GROWTH, limit[unit] * CEILING));
    this.#allowed.set(place.containerId, { bytes: allow("bytes"), files: allow("files") });
  }
}
