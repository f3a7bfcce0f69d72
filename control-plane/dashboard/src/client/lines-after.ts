export interface Rest {
  lines: string[];
  /** Whether lines before them may be missing. */
  isGap: boolean;
}

/**
 * The lines that come after one that is known. Each line begins with its time in ISO 8601, which sorts as text.
 * @param last a line that was shown
 * @param lines the newest of the same log, in order
 */
export function linesAfter(last: string, lines: readonly string[]): Rest {
  const known = lines.lastIndexOf(last);
  if (known >= 0) return { lines: lines.slice(known + 1), isGap: false };
  const time = timeOf(last);
  const rest = lines.filter((line) => timeOf(line) > time);
  return { lines: rest, isGap: rest.length > 0 && rest.length === lines.length };
}

function timeOf(line: string): string {
  return /^\S*/.exec(line)![0];
}
