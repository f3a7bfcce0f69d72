import type { LogLine } from "../../ports.ts";

/** A line of a log as a file of ours holds it: its time in ISO 8601, a space, the text. */
export function toFileLine({ time, text }: LogLine): string {
  return `${time.toISOString()} ${text.replaceAll("\n", " ")}\n`;
}

/** The lines of such a file. One that a full disk has cut is none. */
export function parseFileLines(text: string): LogLine[] {
  return text.split("\n").flatMap((line) => {
    const space = line.indexOf(" ");
    const time = new Date(line.slice(0, space));
    return space < 0 || Number.isNaN(time.getTime()) ? [] : [{ time, text: line.slice(space + 1) }];
  });
}
