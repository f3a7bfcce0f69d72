import { shownTime } from "../text/time.ts";

/** A time for the reader, the exact one for whoever points at it; `none` stands for a missing one. */
export function Time({ at, none = "never" }: { at: string | null; none?: string }) {
  return at === null ? (
    <>{none}</>
  ) : (
    <time dateTime={at} title={at}>
      {shownTime(at)}
    </time>
  );
}
