/** Writes a value of a metric; `none` stands for a missing one. */
export type Amount = (value: number) => string;

const POWERS = Array.from({ length: 16 }, (_, power) => power);

/** Differences between the lines of a chart, so that each is a round number: of counts, and of bytes. */
export const COUNT_STEPS: readonly number[] = POWERS.flatMap((power) => [1, 2, 5].map((digit) => digit * 10 ** power));
export const BYTE_STEPS: readonly number[] = Array.from({ length: 50 }, (_, power) => 2 ** power);

const rounded = (value: number, digits: number): string => String(Number(value.toFixed(digits)));

export const count: Amount = (value) => rounded(value, 0);

/** Such as `0.25 cores`. */
export const cores: Amount = (value) => `${rounded(value, value < 0.1 ? 3 : 2)} ${value === 1 ? "core" : "cores"}`;

/** Such as `250 ms` or `1.5 s`. */
export const milliseconds: Amount = (value) =>
  value < 1000 ? `${rounded(value, value < 10 ? 1 : 0)} ms` : `${rounded(value / 1000, value < 10_000 ? 2 : 1)} s`;

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

/** Such as `64 MiB`. */
export const bytes: Amount = (value) => {
  const power = value < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(value) / 10));
  return `${rounded(value / 1024 ** power, value / 1024 ** power < 10 ? 1 : 0)} ${UNITS[power]}`;
};
