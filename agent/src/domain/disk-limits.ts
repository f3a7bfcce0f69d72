import type { StoragePlace } from "../ports.ts";
import type { Shortage } from "@svc/shared/disk-watermarks.ts";

/** What a writable layer or a volume takes. */
export interface DiskUse {
  bytes: number;
  files: number;
}

export interface MeasuredPlace extends StoragePlace {
  use: DiskUse;
  /** What it took one to two minutes before; nothing when it is new. */
  former: DiskUse;
}

export interface DiskLimits {
  layerBytes: number;
  volumeBytes: number;
  /**
   * Of one place. Every file takes an inode, which an ext4 disk has one of per 16 KiB: 200,000 are what a disk of 3 GB
   * has, and more than a large app's source with all that it depends on.
   */
  filesMax: number;
}

export const DEFAULT_DISK_LIMITS: DiskLimits = {
  layerBytes: 2 * 1024 ** 3,
  volumeBytes: 10 * 1024 ** 3,
  filesMax: 200_000,
};

/** Less is noise: a log line, a file of PostgreSQL's statistics. */
const GROWTH_MIN: Readonly<DiskUse> = { bytes: 1024 ** 2, files: 100 };

/** Which of its limits a place exceeds. */
export function excessOf({ kind, use }: Pick<MeasuredPlace, "kind" | "use">, limits: DiskLimits): Shortage | undefined {
  if (use.bytes > (kind === "layer" ? limits.layerBytes : limits.volumeBytes)) return "bytes";
  return use.files > limits.filesMax ? "files" : undefined;
}

/**
 * Who fills a disk that is nearly full: the places that grew, the one that grew most first, of those that hold more than a fair share. Half of the
 * disk is for images and what builds keep, the other half is shared equally among apps. None when no app is to blame.
 */
export function fillersOf(
  places: readonly MeasuredPlace[],
  shortage: Shortage,
  diskTotal: Readonly<DiskUse>,
): MeasuredPlace[] {
  const apps = new Set(places.map(({ appId }) => appId)).size;
  const fairShare = diskTotal[shortage] / 2 / Math.max(1, apps);
  const growth = ({ use, former }: MeasuredPlace): number => use[shortage] - former[shortage];
  return places
    .filter((place) => place.use[shortage] > fairShare && growth(place) >= GROWTH_MIN[shortage])
    .toSorted((a, b) => growth(b) - growth(a));
}

/**
 * Why an app is stopped, for its owner.
 * @param cause the limit that the place exceeds, or that it fills the server's disk
 * @param isRemoved whether the app's container went with its files
 */
export function stopSentence(
  place: MeasuredPlace,
  { shortage, limits, isRemoved }: { shortage: Shortage; limits?: DiskLimits | undefined; isRemoved: boolean },
): string {
  const [what, whose] = place.role === "database" ? ["its database", "a database"] : ["its files", "an app"];
  const size = shortage === "files" ? `${place.use.files} files` : formatBytes(place.use.bytes);
  const why = limits
    ? `${what} on the server's disk grew to ${size}, and ${whose} may have ${limitText(place, shortage, limits)}`
    : `the server's disk is nearly full, and ${what} grew most, to ${size}`;
  return `The app ${place.appName} was stopped: ${why}. ${remedy(place, isRemoved)}`;
}

function limitText({ kind }: MeasuredPlace, shortage: Shortage, limits: DiskLimits): string {
  if (shortage === "files") return `${limits.filesMax} files`;
  return formatBytes(kind === "layer" ? limits.layerBytes : limits.volumeBytes);
}

function remedy({ role }: MeasuredPlace, isRemoved: boolean): string {
  if (role === "database") {
    return (
      "The database goes on with all of its data. Have whoever runs this service make room (SVC_DATABASE_DISK), then start " +
      "the app again and delete what it does not need."
    );
  }
  const advice = "Keep files in a database or in object storage and remove temporary ones";
  return isRemoved
    ? `Its container was removed with these files, to free the disk for others. ${advice}, then deploy it again.`
    : `${advice}, then start it again, or deploy it, which begins without these files.`;
}

function formatBytes(bytes: number): string {
  const gib = bytes / 1024 ** 3;
  return gib >= 1 ? `${Number(gib.toFixed(2))} GiB` : `${Math.ceil(bytes / 1024 ** 2)} MiB`;
}
