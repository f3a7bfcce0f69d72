/** Days that lines are kept. */
export const KEEP_DAYS = 7;
/** Bytes on the disk that the lines of one app may take. */
export const APP_BYTES_MAX = 100 * 1024 * 1024;
/** Bytes of all apps' lines: no more than this, and than this share of the disk. */
const ALL_BYTES_MAX = 10 * 1024 ** 3;
const ALL_RATIO_MAX = 0.05;

/** The time from which on lines are kept, and found. */
export function keptFrom(now: Date): Date {
  return new Date(now.getTime() - KEEP_DAYS * 24 * 60 * 60_000);
}

/** A segment, as far as its removal goes. */
export interface PrunedSegment {
  appId: string;
  path: string;
  bytes: number;
  /** The time of its last line, or when it was closed, if that was before. Milliseconds since 1970. */
  last: number;
}

/** Bytes that all apps' lines may take. @param isShort the disk has no room for builds any more: then half of what there is */
export function allBytesMax(diskBytes: number, storedBytes: number, isShort: boolean): number {
  const most = Math.min(ALL_BYTES_MAX, Math.floor(diskBytes * ALL_RATIO_MAX));
  return isShort ? Math.min(most, Math.floor(storedBytes / 2)) : most;
}

/**
 * Picks the segments that go: those whose time has come, the oldest of an app that has too many, and while all together
 * have too many, the oldest of the app that has most. So no app pushes out what one with less has stored.
 */
export function segmentsToRemove(
  segments: readonly PrunedSegment[],
  { now, bytesMax }: { now: Date; bytesMax: number },
): PrunedSegment[] {
  const from = keptFrom(now).getTime();
  const removed = segments.filter(({ last }) => last < from);
  const kept = new Map<string, { bytes: number; oldestFirst: PrunedSegment[] }>();
  for (const segment of segments.filter(({ last }) => last >= from).toSorted((a, b) => a.last - b.last)) {
    const { bytes, oldestFirst } = kept.get(segment.appId) ?? { bytes: 0, oldestFirst: [] };
    oldestFirst.push(segment);
    kept.set(segment.appId, { bytes: bytes + segment.bytes, oldestFirst });
  }
  let sum = [...kept.values()].reduce((total, { bytes }) => total + bytes, 0);
  for (;;) {
    const [most] = [...kept.values()].toSorted((a, b) => b.bytes - a.bytes);
    if (!most || most.oldestFirst.length === 0 || (most.bytes <= APP_BYTES_MAX && sum <= bytesMax)) return removed;
    const oldest = most.oldestFirst.shift()!;
    most.bytes -= oldest.bytes;
    sum -= oldest.bytes;
    removed.push(oldest);
  }
}
