interface LogCount {
  /** Lines that are kept. */
  kept: number;
  /** Older lines, which are not kept any more. */
  forgotten: number;
  /** Lines that hold the words; undefined when none are looked for. */
  found: number | undefined;
}

/** How much of a log there is, and how much is missing. */
export function countText({ kept, forgotten, found }: LogCount): string {
  const lines = kept === 1 ? "1 line" : `${kept} lines`;
  const shown = found === undefined ? lines : `${found} of ${lines}`;
  return forgotten === 0 ? shown : `${shown}; ${forgotten} older ones are not kept here`;
}
