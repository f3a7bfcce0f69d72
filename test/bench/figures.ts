export interface Figure {
  bench: string;
  what: string;
  unit: "ms" | "s" | "MB" | "requests/s" | "% of a core";
  /** Ours; all values, in the order they were measured. */
  values: number[];
  /** The same work without us, measured in turn with ours; or a single bound that was promised. */
  floor: number[];
  floorIs: string;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export const round = (value: number): number => Math.round(value * 10) / 10;

export function printTable(figures: readonly Figure[]): void {
  if (figures.length === 0) return;
  const rows = figures.map((figure) => ({
    what: `${figure.bench}: ${figure.what}`,
    median: `${round(median(figure.values))} ${figure.unit}`,
    "min-max": `${round(Math.min(...figure.values))}-${round(Math.max(...figure.values))}`,
    floor: `${round(median(figure.floor))} ${figure.unit}`,
    ratio: (median(figure.values) / median(figure.floor)).toFixed(2),
    "the floor is": figure.floorIs,
  }));
  console.table(rows);
}

export function printJson(figures: readonly Figure[]): void {
  console.log(
    JSON.stringify({
      figures: figures.map((figure) => ({
        ...figure,
        median: median(figure.values),
        ratio: median(figure.values) / median(figure.floor),
      })),
    }),
  );
}
