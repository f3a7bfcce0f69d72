/** Why the agent itself has stopped an app. It is kept with the app's routes, and so for as long as they say `stopped`. */
export interface PlatformStop {
  reason: "disk_limit";
  /** A sentence for the app's owner: the limit, what was used, what to do. */
  detail: string;
  /** ISO 8601. */
  at: string;
  /** Whether the app's container goes with its files, as the sentence says: an agent that was killed meanwhile does it later. */
  removesContainer: boolean;
}

/** @returns undefined for anything else, such as what an older agent wrote */
export function readPlatformStop(value: unknown): PlatformStop | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { reason, detail, at, removesContainer = false } = value as Record<string, unknown>;
  const isWhole =
    reason === "disk_limit" &&
    typeof detail === "string" &&
    typeof at === "string" &&
    typeof removesContainer === "boolean";
  return isWhole && !Number.isNaN(Date.parse(at)) ? { reason, detail, at, removesContainer } : undefined;
}
