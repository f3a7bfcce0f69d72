import type { Escape, Source } from "./logical-lines.ts";
import { quotedWords } from "./words.ts";
import { quoted, refused, type Place } from "./refusal.ts";

/** Lines that belong to an instruction although they stand below it. */
export interface Heredoc {
  /** What stands for them in the instruction: `<<EOF`. */
  word: string;
  lines: readonly string[];
  /** The line that ends it. */
  end: string;
}

interface Opening {
  word: string;
  end: string;
  /** `<<-`: tabs before the lines do not count. */
  stripsTabs: boolean;
}

const OPENING = /^\d*<<-?[^<]*$/;
const PLAIN = /^\d*<<(-?)(?:([A-Za-z_]\w*)|"([A-Za-z_]\w*)"|'([A-Za-z_]\w*)')$/;

/** What the instruction's line begins; also one that ONBUILD keeps for later. @throws SvcError when it is unclear */
export function heredocsOf(instruction: Place & { rest: string }, escape: Escape): Opening[] {
  const name = instruction.name === "ONBUILD" ? instruction.rest.split(/\s/, 1)[0]!.toUpperCase() : instruction.name;
  if (!["ADD", "COPY", "RUN"].includes(name) || !instruction.rest.includes("<<")) return [];
  return quotedWords(instruction.rest, escape)
    .filter((word) => OPENING.test(word))
    .map((word) => {
      const [, dash, bare, double, single] = PLAIN.exec(word) ?? [];
      const end = bare ?? double ?? single;
      if (end === undefined)
        throw refused(instruction, `${quoted(word)} is unclear. Name its end plainly, such as <<EOF.`);
      return { word, end, stripsTabs: dash === "-" };
    });
}

/** @throws SvcError when the engine knows no heredocs, or one has no end */
export function readHeredocs(source: Source, openings: Opening[], hasHeredocs: boolean, place: Place): Heredoc[] {
  if (openings.length > 0 && !hasHeredocs) {
    const advice =
      place.name === "RUN"
        ? "Join the commands with && and end each line but the last with a backslash"
        : "Put the text into a file of the repository and name that file";
    throw refused(place, `this server's builder knows no heredocs (${openings[0]!.word}). ${advice}.`);
  }
  return openings.map(({ word, end, stripsTabs }) => {
    const lines: string[] = [];
    for (let line = source.lines.raw(); line !== undefined; line = source.lines.raw()) {
      if ((stripsTabs ? line.replace(/^\t+/, "") : line) === end) return { word, lines, end };
      lines.push(line);
    }
    throw refused(place, `its heredoc ${word} has no end. Add a line that holds ${end} and nothing else.`);
  });
}
