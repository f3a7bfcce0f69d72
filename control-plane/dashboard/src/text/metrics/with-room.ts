/** A stretch of a line, in pixels. */
export interface Span {
  from: number;
  to: number;
}

/**
 * Places a label beside its line: right of it, or left where that is too narrow. No other line is so near on that side that the label
 * could be taken for that line's.
 * @param others where the other lines are
 * @returns undefined where there is no such place
 */
export function besideLine(line: { x: number; width: number }, others: readonly number[], bounds: Span) {
  const { x, width } = line;
  const near = 1.5 * width;
  if (x + width <= bounds.to && !others.some((other) => other > x && other < x + near))
    return { from: x, to: x + width };
  if (x - width >= bounds.from && !others.some((other) => other < x && other > x - near))
    return { from: x - width, to: x };
  return undefined;
}

/** The spans that lie on none of those that are kept before them. */
export function withRoom<T extends Span>(spans: readonly T[]): T[] {
  const kept: T[] = [];
  for (const span of spans) {
    if (kept.every(({ from, to }) => span.to <= from || to <= span.from)) kept.push(span);
  }
  return kept;
}
