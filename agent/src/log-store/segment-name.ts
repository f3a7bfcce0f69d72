/** A file of an app's store. Segments are numbered in the order in which they were begun. */
export interface SegmentName {
  number: number;
  /** The times of a closed one's first and last line, in milliseconds since 1970; undefined: it is open. */
  closed: { first: number; last: number } | undefined;
}

const NAME = /^([0-9]{9})(?:-([0-9]{13})-([0-9]{13})\.log\.zst|\.log)$/;

/** Formats `000000012.log` of an open segment, `000000012-<first>-<last>.log.zst` of a closed one. */
export function segmentName({ number, closed }: SegmentName): string {
  const digits = String(number).padStart(9, "0");
  return closed ? `${digits}-${milliseconds(closed.first)}-${milliseconds(closed.last)}.log.zst` : `${digits}.log`;
}

/** Reads such a name; undefined for any other. */
export function parseSegmentName(name: string): SegmentName | undefined {
  const [, number, first, last] = NAME.exec(name) ?? [];
  if (number === undefined) return undefined;
  const closed = first === undefined ? undefined : { first: Number(first), last: Number(last) };
  return { number: Number(number), closed };
}

/** A clock that is wrong by centuries must not make a name of another form. */
function milliseconds(time: number): string {
  return String(Math.min(Math.max(0, time), 9_999_999_999_999)).padStart(13, "0");
}
