const BARS = "▁▂▃▄▅▆▇█";

/** Values as a line of bars, from 0 to the largest; the largest of neighbours where there are more than `length`, a space for none. */
export function sparkline(values: readonly (number | null)[], length: number): string {
  const size = Math.max(1, values.length / length);
  const groups = Array.from({ length: Math.min(length, values.length) }, (_, place) =>
    values.slice(Math.floor(place * size), Math.floor((place + 1) * size)).filter((value) => value !== null),
  );
  const most = Math.max(...groups.flat(), Number.MIN_VALUE);
  return groups
    .map((group) => (group.length === 0 ? " " : BARS[Math.round((Math.max(...group) / most) * (BARS.length - 1))]))
    .join("");
}
