import type { Shortage } from "@svc/shared/rules/disk-watermarks.ts";
import type { StoragePlace } from "../ports.ts";
import { formatBytes } from "../platform/byte-size.ts";

/** The disk that a container's writable layer and its volumes take together. */
export interface DiskUse {
  bytes: number;
  files: number;
}

export interface MeasuredPlace extends StoragePlace {
  use: DiskUse;
  /** Its use one to two minutes before; nothing when it is new. */
  former: DiskUse;
}

export interface DiskLimits {
  /** Limit of an app's container: a deploy has two of them, for seconds. */
  appBytes: number;
  databaseBytes: number;
  /**
   * The limit of one container. Every file takes an inode, which an ext4 disk has one of per 16 KiB: 200,000 are what a
   * disk of 3 GB has, and more than a large app's source with all that it depends on.
   */
  filesMax: number;
}

export const DEFAULT_DISK_LIMITS: DiskLimits = {
  appBytes: 2 * 1024 ** 3,
  databaseBytes: 10 * 1024 ** 3,
  filesMax: 200_000,
};

const NOTHING: DiskUse = { bytes: 0, files: 0 };

/** Less is noise: a log line, a file of PostgreSQL's statistics. */
const GROWTH_MIN: Readonly<DiskUse> = { bytes: 1024 ** 2, files: 100 };

/** Returns what a container may take. */
export function limitOf({ role }: Pick<MeasuredPlace, "role">, limits: DiskLimits): DiskUse {
  return { bytes: role === "app" ? limits.appBytes : limits.databaseBytes, files: limits.filesMax };
}

/** Returns which limit is exceeded. */
export function excessOf(use: Readonly<DiskUse>, limit: Readonly<DiskUse>): Shortage | undefined {
  if (use.bytes > limit.bytes) return "bytes";
  return use.files > limit.files ? "files" : undefined;
}

/**
 * Finds the containers that fill a nearly full disk: those that grew, the one that grew most first, of the apps that
 * hold more than a fair share in all their places. Half of the disk is for images and what builds keep, the other half
 * is shared equally among apps. None when no app is to blame.
 */
export function fillersOf(
  places: readonly MeasuredPlace[],
  shortage: Shortage,
  diskTotal: Readonly<DiskUse>,
): MeasuredPlace[] {
  const byApp = Map.groupBy(places, ({ appId }) => appId);
  const fairShare = diskTotal[shortage] / 2 / Math.max(1, byApp.size);
  const held = ({ appId }: MeasuredPlace): number => addUses(byApp.get(appId)!.map(({ use }) => use))[shortage];
  const growth = ({ use, former }: MeasuredPlace): number => use[shortage] - former[shortage];
  return places
    .filter((place) => held(place) > fairShare && growth(place) >= GROWTH_MIN[shortage])
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

function limitText(place: MeasuredPlace, shortage: Shortage, limits: DiskLimits): string {
  const { bytes, files } = limitOf(place, limits);
  return shortage === "files" ? `${files} files` : formatBytes(bytes);
}

export function addUses(uses: readonly DiskUse[]): DiskUse {
  return uses.reduce((sum, { bytes, files }) => ({ bytes: sum.bytes + bytes, files: sum.files + files }), NOTHING);
}

function remedy({ role }: MeasuredPlace, isRemoved: boolean): string {
  if (role === "database") {
    return (
      "The database goes on with all of its data. Start the app again and delete what it does not need: meanwhile the " +
      "database may grow by 5 %, at most to 1.25 times its limit. Or have whoever runs this service make room " +
      "(SVC_DATABASE_DISK)."
    );
  }
  const advice = "Keep files in a database or in object storage and remove temporary ones";
  return isRemoved
    ? `Its container was removed with these files, to free the disk for others. ${advice}, then deploy it again.`
    : `${advice}, then start it again, or deploy it, which begins without these files.`;
}
