/** This is longer than any name that is offered; what is longer resembles none. */
const WORD_LENGTH_MAX = 40;

/** The name that was probably meant: the one with the fewest typing mistakes, if these are few. */
export function nearest(word: string, names: readonly string[]): string | undefined {
  if (word.length > WORD_LENGTH_MAX) return undefined;
  const lower = word.toLowerCase();
  const ranked = names
    .map((name) => ({ name, mistakes: distance(lower, name.toLowerCase()) }))
    .sort((a, b) => a.mistakes - b.mistakes);
  const [best] = ranked;
  return best && best.mistakes <= Math.max(1, Math.floor(best.name.length / 3)) ? best.name : undefined;
}

/** Letters to add, drop or exchange, or to swap with their neighbour, to make one of the other. */
function distance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(
        Math.min(
          row[j - 1]! + 1,
          last[j]! + 1,
          last[j - 1]! + (isSame ? 0 : 1),
          ...(isSwapped ? [beforeLast[j - 2]! + 1] : []),
        ),
      );
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
}
