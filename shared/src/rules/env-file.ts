/** A text that is no `.env` file; the message says where, and never quotes what is there. */
export class EnvFileError extends Error {
  /** The first line that can't be read, from 1 on; undefined when it is about the whole text. */
  readonly line: number | undefined;
  /** The rest of the message, without the place. */
  readonly reason: string;

  constructor(file: string, reason: string, line?: number) {
    super(line === undefined ? `${file} ${reason}` : `${file}:${line}:1: ${reason}`);
    this.line = line;
    this.reason = reason;
  }
}

/** A key, and a value in one of three quotes or none. Values in quotes may have several lines. */
const ASSIGNMENT =
  /^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\[^])*)"|'([^']*)'|`([^`]*)`|([^\n"'`][^\n]*)?)[ \t]*(?:#[^\n]*)?$/;
const IGNORED = /^[ \t]*(?:#.*)?$/;
/** A file of 64 values of 8 KiB, written with escapes, and comments beside it. */
const TEXT_CHARACTERS_MAX = 2 * 1024 * 1024;

/**
 * Variables of a `.env` file. In double quotes \n, \r, \t, \\, \" and \$ mean what they do in other tools; single
 * quotes and backquotes take everything as it is; nothing is expanded.
 * @param file for messages; they never quote the text, which is secret
 * @throws EnvFileError with file and line
 */
export function parseEnvFile(file: string, text: string): Map<string, string> {
  if (text.length > TEXT_CHARACTERS_MAX) throw new EnvFileError(file, "is larger than a file of variables can be.");
  const variables = new Map<string, string>();
  const lines = text.replace(/^\ufeff/, "").split("\n");
  for (let at = 0; at < lines.length;) {
    const first = lines[at]!.replace(/\r$/, "");
    if (IGNORED.test(first)) {
      at += 1;
      continue;
    }
    const { count, key, value } = assignmentAt(lines, at) ?? {};
    if (count === undefined || key === undefined || value === undefined) {
      throw new EnvFileError(file, "write KEY=value, and close each quote before the end of the file.", at + 1);
    }
    variables.set(key, value);
    at += count;
  }
  return variables;
}

function assignmentAt(lines: readonly string[], at: number) {
  const quote = /=[ \t]*(["'`])/.exec(lines[at]!)?.[1];
  // Without quotes a value ends with its line; with them it takes as many lines as it needs, and no more are looked at.
  const end = quote === undefined ? at + 1 : endOfQuotes(lines, at, quote);
  const text = lines.slice(at, end).join("\n").replace(/\r$/, "");
  const [, key, double, single, back, plain] = ASSIGNMENT.exec(text) ?? [];
  if (key === undefined) return undefined;
  const value = double === undefined ? (single ?? back ?? bare(plain)) : unescape(double);
  return { count: end - at, key, value };
}

function endOfQuotes(lines: readonly string[], at: number, quote: string): number {
  const first = lines[at]!;
  let from = first.indexOf(quote) + 1;
  for (let line = at; line < lines.length; line += 1, from = 0) {
    const text = lines[line]!;
    for (let index = from; index < text.length; index += 1) {
      if (quote === '"' && text[index] === "\\") index += 1;
      else if (text[index] === quote) return line + 1;
    }
  }
  return at + 1;
}

function bare(text = ""): string {
  return text.replace(/(^|[ \t])#.*$/, "").trim();
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", "\\": "\\", '"': '"', $: "$" };

function unescape(text: string): string {
  return text.replaceAll(/\\([^])/g, (all, character: string) => ESCAPES[character] ?? all);
}

/** Text that parseEnvFile reads back as the same variables, byte for byte. */
export function formatEnvFile(variables: Readonly<Record<string, string>>): string {
  return Object.entries(variables)
    .map(([key, value]) => `${key}=${quote(value)}\n`)
    .join("");
}

function quote(value: string): string {
  if (/^[A-Za-z0-9_./:@%+,-]+$/.test(value)) return value;
  const escaped = value
    .replaceAll(/[\\"$]/g, String.raw`\$&`)
    .replaceAll("\n", String.raw`\n`)
    .replaceAll("\r", String.raw`\r`)
    .replaceAll("\t", String.raw`\t`);
  return `"${escaped}"`;
}
