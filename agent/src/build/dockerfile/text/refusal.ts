import { SvcError } from "@svc/shared/errors.ts";

/** Where a mistake stands, for its author. */
export interface Place {
  /** The line in the file as its author wrote it, from 1. */
  line: number;
  /** The instruction's name, in upper case. */
  name: string;
}

/** Longer values are known by their beginning. */
const SHOWN_CHARACTERS_MAX = 120;

/** @param problem a sentence that says what is refused and what to write instead */
export function refused({ line, name }: Place, problem: string): SvcError {
  return new SvcError("build_failed", `Line ${line} of the Dockerfile, ${name}: ${problem}`);
}

/** A value that somebody else wrote, in quotes. */
export function quoted(value: string): string {
  return JSON.stringify(value.length > SHOWN_CHARACTERS_MAX ? `${value.slice(0, SHOWN_CHARACTERS_MAX)}…` : value);
}
