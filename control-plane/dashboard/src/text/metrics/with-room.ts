/** A stretch of a line, in pixels. */
export interface Span {
  from: number;
  to: number;
}

/** The spans that lie on none of those that are kept before them. */
export function withRoom<T extends Span>(spans: readonly T[]): T[] {
  const kept: T[] = [];
  for (const span of spans) {
    if (kept.every(({ from, to }) => span.to <= from || to <= span.from)) kept.push(span);
  }
  return kept;
}
