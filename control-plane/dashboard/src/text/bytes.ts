const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

/** A size such as `512 MiB` or `1.5 GiB`. */
export function shownBytes(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1024 && unit < UNITS.length - 1) [value, unit] = [value / 1024, unit + 1];
  const digits = value >= 10 || Number.isInteger(value) ? 0 : 1;
  return `${value.toFixed(digits)} ${UNITS[unit]}`;
}

/** A part of a whole, such as `75 %`; empty when there is no whole. */
export function shownShare(part: number, whole: number): string {
  return whole === 0 ? "" : `${Math.round((100 * part) / whole)} %`;
}
