const UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

/** How long it is since a time (ISO 8601), in its largest unit: `3 minutes`; `a moment` below one. */
export function timeSince(iso: string, now = new Date()): string {
  const seconds = Math.floor((now.getTime() - Date.parse(iso)) / 1000);
  const unit = UNITS.find(([, length]) => seconds >= length);
  if (!unit) return "a moment";
  const count = Math.floor(seconds / unit[1]);
  return `${count} ${unit[0]}${count === 1 ? "" : "s"}`;
}

/** `3 minutes ago`. */
export function ago(iso: string, now?: Date): string {
  return `${timeSince(iso, now)} ago`;
}
