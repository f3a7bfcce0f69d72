import { jsonOrUndefined } from "@svc/shared/json.ts";
import type { Source } from "./logical-lines.ts";
import { quoted, refused, type Place } from "./refusal.ts";
import { quotedWords } from "./words.ts";

/** Lines that belong to an instruction although they stand below it. */
export interface Heredoc {
  /** The word that stands for them in the instruction: `<<EOF`. */
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

/**
 * Words that every reader splits in the same way: no escapes, no variables, no space but " ", and each quote has its
 * end.
 */
const READ_ALIKE = /^(?:[ !#%&(-[\]^_a-~]|"[ !#%-[\]^_a-~]*"|'[ -#%&(-[\]^_a-~]*')*$/;

/**
 * A word that is no heredoc's for anybody: in quotes as a whole, or without any, as `<<<a` and `((1<<2))`. Newer builders
 * take `<<` together with the space and the word behind it.
 */
const NOBODYS = /^(?:"[^"]*"|'[^']*'|(?!.*(?:(?<!<)<<|<<<<)$)[^"']*)$/;

/**
 * Lists the heredocs that begin on the instruction's line.
 * @param text the line as BuildKit is given it: it looks for heredocs among flags, too
 * @param hasHeredocs whether it looks at all
 * @throws SvcError when it is unclear
 */
export function heredocsOf(instruction: Place & { rest: string }, text: string, hasHeredocs: boolean): Opening[] {
  const isAble = ["ADD", "COPY", "RUN"].includes(instruction.name) && !isArray(instruction.rest);
  if (!isAble || !text.includes("<<")) return [];
  // A heredoc that BuildKit does not see would have it run lines that were not looked at.
  if (hasHeredocs && !READ_ALIKE.test(text)) {
    const advice = "Write that line in printable ASCII without variables and backslashes, or the command into a file";
    throw refused(instruction, `it cannot be told whether << begins a heredoc. ${advice}.`);
  }
  return quotedWords(text, "\\").flatMap((word) => {
    const [, dash, bare, double, single] = PLAIN.exec(word) ?? [];
    const end = bare ?? double ?? single;
    if (end !== undefined) return { word, end, stripsTabs: dash === "-" };
    if (OPENING.test(word) || (hasHeredocs && word.includes("<<") && !NOBODYS.test(word)))
      throw refused(instruction, `${quoted(word)} is unclear. Name its end plainly, such as <<EOF.`);
    return [];
  });
}

/** No builder looks for heredocs in an array. */
function isArray(rest: string): boolean {
  const words = jsonOrUndefined(rest);
  return Array.isArray(words) && words.every((word) => typeof word === "string");
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
      // BuildKit takes every carriage return off a line before it compares.
      if (line.trim() === end) throw refused(place, `${quoted(line)} is unclear. Take the white space off ${end}.`);
      lines.push(line);
    }
    throw refused(place, `its heredoc ${word} has no end. Add a line that holds ${end} and nothing else.`);
  });
}
