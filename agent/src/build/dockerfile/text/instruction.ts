import { heredocsOf, readHeredocs, type Heredoc } from "./heredoc.ts";
import { readSource, type LogicalLine, type Source } from "./logical-lines.ts";
import { quoted, refused, type Place } from "./refusal.ts";
import { requirePlainSpace, trimBlanks } from "./white-space.ts";
import { copyWords } from "./words.ts";

export interface Flag {
  /** The flag's name, without its dashes. */
  name: string;
  /** Is undefined when it has none. */
  value: string | undefined;
}

/** One instruction, read as BuildKit reads it: a name, flags, and the rest of its line. */
export interface Instruction extends Place {
  flags: readonly Flag[];
  /** The text without white space around it. */
  rest: string;
  heredocs: readonly Heredoc[];
  /** The line as its author sees it in the build's output. */
  shown: string;
}

/** Instructions, and the flags that each may have. One that nobody knows may mean anything to the next builder. */
const FLAGS: Readonly<Record<string, readonly string[]>> = {
  ADD: ["chown", "chmod", "link", "checksum", "exclude", "keep-git-dir", "unpack"],
  ARG: [],
  CMD: [],
  COPY: ["from", "chown", "chmod", "link", "parents", "exclude"],
  ENTRYPOINT: [],
  ENV: [],
  EXPOSE: [],
  FROM: ["platform"],
  HEALTHCHECK: ["interval", "timeout", "start-period", "start-interval", "retries"],
  LABEL: [],
  MAINTAINER: [],
  ONBUILD: [],
  RUN: ["mount", "network", "security"],
  SHELL: [],
  STOPSIGNAL: [],
  USER: [],
  VOLUME: [],
  WORKDIR: [],
};

/** This is as much as is read of a file in a repository; no Dockerfile that a person wrote comes near. */
const DOCKERFILE_BYTES_MAX = 1024 * 1024;

/** An image has at most 127 layers; each instruction is looked at several times while others wait. */
const INSTRUCTIONS_MAX = 2000;

/**
 * Reads a Dockerfile as BuildKit does.
 * @param hasHeredocs whether the engine's own builder knows heredocs; one that does not would run their lines
 * @throws SvcError build_failed naming line and instruction
 */
export function readInstructions(text: string, hasHeredocs: boolean) {
  const whole = { line: 1, name: "the file" };
  if (Buffer.byteLength(text) >= DOCKERFILE_BYTES_MAX) throw refused(whole, "it has 1 MiB or more. Make it smaller.");
  if (text.includes("\0")) throw refused(whole, "it holds a NUL, so it is not a text. Save it as UTF-8.");
  const source = readSource(text);
  const instructions: Instruction[] = [];
  for (let line = source.lines.next(); line; line = source.lines.next()) {
    const instruction = readInstruction(source, line, hasHeredocs);
    if (instructions.length === INSTRUCTIONS_MAX) {
      throw refused(
        instruction,
        `it is one of more than ${INSTRUCTIONS_MAX} instructions. Join some, or make stages of them.`,
      );
    }
    instructions.push(instruction);
  }
  return { escape: source.escape, syntax: source.syntax, instructions };
}

function readInstruction(source: Source, { number, text }: LogicalLine, hasHeredocs: boolean): Instruction {
  const [word = ""] = text.split(/[\t\v\f\r ]+/, 1);
  const name = word.toUpperCase();
  const place = { line: number, name };
  if (!/^[A-Za-z]+$/.test(word) || !Object.hasOwn(FLAGS, name)) {
    throw refused({ line: number, name: quoted(word) }, `unknown instruction: ${word.slice(0, 100)}`);
  }
  if (text.endsWith(source.escape)) throw refused(place, `it ends with ${source.escape}. Put something after it.`);
  const { flags, rest } = splitFlags(trimBlanks(text.slice(word.length)), place);
  requirePlainSpace(place, rest);
  for (const flag of flags) {
    if (FLAGS[name]!.includes(flag.name)) continue;
    throw refused(place, `--${flag.name} is no flag of it that builds on this platform may use. Remove it.`);
  }
  if (name === "ADD" || name === "COPY") copyWords({ ...place, rest });
  const written = instructionText({ name, flags, rest, heredocs: [] });
  const heredocs = readHeredocs(source, heredocsOf({ ...place, rest }, written, hasHeredocs), hasHeredocs, place);
  return { ...place, flags, rest, heredocs, shown: `${name}${text.slice(word.length)}` };
}

/**
 * The flags before an instruction's words. BuildKit reads them byte by byte, with quotes and a backslash of its own,
 * whatever `# escape` says.
 */
function splitFlags(text: string, place: Place): { flags: Flag[]; rest: string } {
  const flags: Flag[] = [];
  let rest = text;
  while (rest.startsWith("--")) {
    const { word, length } = firstWord(rest);
    if (/[^\x20-\x7e]/.test(word)) throw refused(place, `the flag ${quoted(word)} may hold printable ASCII only.`);
    // A bare `--` ends the flags; what it would protect can be written otherwise.
    if (word === "--") throw refused(place, "a bare -- is not supported. Remove it.");
    const [, name = "", value] = /^--([^=]*)(?:=(.*))?$/.exec(word) ?? [];
    flags.push({ name, value });
    rest = trimBlanks(rest.slice(length));
  }
  return { flags, rest };
}

/** The word without its quotes and backslashes, and how much of the text it takes. */
function firstWord(text: string): { word: string; length: number } {
  let word = "";
  let quote = "";
  let at = 0;
  for (; at < text.length; at += 1) {
    const char = text[at]!;
    if (quote === "" && /[\t\v\f\r\n \x85\xa0]/.test(char)) break;
    if (quote === "" && (char === "'" || char === '"')) quote = char;
    else if (char === quote) quote = "";
    else if (char === "\\") word += text[(at += 1)] ?? "";
    else word += char;
  }
  return { word, length: at };
}

/** The instruction as one line that every BuildKit reads the same. */
export function instructionText({ name, flags, rest, heredocs }: Omit<Instruction, "line" | "shown">): string {
  const words = [name, ...flags.map(flagText), ...(rest === "" ? [] : [rest])];
  return [words.join(" "), ...heredocs.flatMap(({ lines, end }) => [...lines, end])].join("\n");
}

function flagText({ name, value }: Flag): string {
  const escaped = value?.replaceAll(/["'\\ ]/g, (char) => `\\${char}`);
  return escaped === undefined ? `--${name}` : `--${name}=${escaped}`;
}
