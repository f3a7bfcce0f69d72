import { PLATFORM_MARK } from "@svc/shared/rules/platform-line.ts";

export interface Rest {
  /** The lines that were not shown. */
  lines: string[];
  /** Whether nothing before them is known: lines may be missing there, or another container begins. */
  isApart: boolean;
}

/**
 * A log that is read again from its last lines on, of which some were shown. Each line begins with its time in ISO 8601, which
 * sorts as text. The app may have another container by then: that one has begun while the former still wrote, so that its first
 * lines are older than the last one that was shown, and are shown all the same.
 */
export class ResumedLog {
  readonly #known: ReadonlySet<string>;
  /** The last line that the app has written; the platform's own are in the log of each of its containers. */
  readonly #last: string | undefined;
  readonly #time: string;
  #isJoined = false;
  #isApart = false;
  /** What comes next was not shown. */
  isOver = false;

  /** @param shown the lines that were shown last: twice as many as a log begins with */
  constructor(shown: readonly string[]) {
    this.#known = new Set(shown);
    this.#last = shown.findLast(isWritten);
    this.#time = timeOf(this.#last ?? "");
  }

  /** @param lines the next part of the log, in order */
  take(lines: readonly string[]): Rest {
    const place = this.#last === undefined ? -1 : lines.lastIndexOf(this.#last);
    this.#isJoined ||= lines.some((line) => isWritten(line) && this.#known.has(line));
    const rest = lines.slice(place + 1).filter((line) => !this.#known.has(line) || (place >= 0 && isWritten(line)));
    // A line that was shown may read otherwise by now: a value in it has become secret.
    const fresh = this.#isJoined && place < 0 ? rest.filter((line) => timeOf(line) > this.#time) : rest;
    this.isOver = place >= 0 || fresh.some((line) => timeOf(line) > this.#time);
    const isApart = !this.#isJoined && !this.#isApart && this.#last !== undefined && fresh.length > 0;
    this.#isApart ||= isApart;
    return { lines: fresh, isApart };
  }
}

/** Whether the app itself has written the line. */
function isWritten(line: string): boolean {
  return !line.startsWith(`${PLATFORM_MARK} `, line.indexOf(" ") + 1);
}

function timeOf(line: string): string {
  return /^\S*/.exec(line)![0];
}
