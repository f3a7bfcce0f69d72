/**
 * The lines that come after one that is known. Each line begins with its time in ISO 8601, which sorts as text.
 * @param last a line that was shown
 * @param lines the newest of the same log, in order
 */
export function linesAfter(last: string, lines: readonly string[]): string[] {
  const known = lines.lastIndexOf(last);
  if (known >= 0) return lines.slice(known + 1);
  const time = timeOf(last);
  return lines.filter((line) => timeOf(line) > time);
}

function timeOf(line: string): string {
  return /^\S*/.exec(line)![0];
}
