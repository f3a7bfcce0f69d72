import { median, round, type Figure } from "../figures.ts";

/** A line for each framework: ours, and in brackets how many times what the documented Dockerfile takes. */
export function printFrameworks(figures: readonly Figure[]): void {
  if (figures.length === 0) return;
  const rows: Record<string, Record<string, string>> = {};
  for (const { what, unit, values, floor } of figures) {
    const [framework = "", measured = ""] = what.split(" ");
    const ratio = (median(values) / median(floor)).toFixed(2);
    rows[framework] = { ...rows[framework], [`${measured} ${unit}`]: `${round(median(values))} (${ratio})` };
  }
  console.table(rows);
  console.log("In brackets: divided by the same of a Dockerfile as the framework's documentation suggests.");
}
