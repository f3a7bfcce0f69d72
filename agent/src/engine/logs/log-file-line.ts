import type { LogLine, LogOutput } from "../../ports.ts";

/** A line of a log as a file of ours holds it: its time in ISO 8601, what wrote it (`/stdout`), a space, the text. */
export function toFileLine({ time, text, output }: LogLine): string {
  const written = output === undefined ? "" : `/${output}`;
  return `${time.toISOString()}${written} ${text.replaceAll("\n", " ")}\n`;
}

/** The lines of such a file. One that a full disk has cut is none. */
export function parseFileLines(text: string): LogLine[] {
  return text.split("\n").flatMap((line) => {
    const space = line.indexOf(" ");
    const [iso = "", output] = line.slice(0, space).split("/");
    const time = new Date(iso);
    if (space < 0 || Number.isNaN(time.getTime())) return [];
    return [{ time, text: line.slice(space + 1), ...(isOutput(output) && { output }) }];
  });
}

function isOutput(text: string | undefined): text is LogOutput {
  return text === "stdout" || text === "stderr";
}
