/** Why the agent itself has stopped an app. It is kept with the app's routes, and so for as long as they say `stopped`. */
export interface PlatformStop {
  reason: "disk_limit";
  /** A sentence for the app's owner: the limit, what was used, what to do. */
  detail: string;
  /** ISO 8601. */
  at: string;
}

/** @returns undefined for anything else, such as what an older agent wrote */
export function readPlatformStop(value: unknown): PlatformStop | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { reason, detail, at } = value as Record<string, unknown>;
  const isWhole = reason === "disk_limit" && typeof detail === "string" && typeof at === "string";
  return isWhole && !Number.isNaN(Date.parse(at)) ? { reason, detail, at } : undefined;
}
