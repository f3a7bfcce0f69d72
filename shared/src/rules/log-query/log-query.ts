import { LEVELS, type Level } from "./log-level.ts";
import { LOG_QUERY_HINTS, LOG_QUERY_LENGTH_MAX, type LogKind } from "./log-query-hints.ts";

/** A line is compared with each term. */
const TERMS_MAX = 20;

export type Comparison = "=" | ">" | ">=" | "<" | "<=";

export type LogCondition =
  /** In lower case. */
  | { field: "text"; text: string }
  | { field: "level"; level: Level }
  | { field: "status"; comparison: Comparison; status: number }
  /** In upper case. */
  | { field: "method"; method: string }
  /** The parts between `*`; one part is the whole. In lower case of a host. */
  | { field: "path" | "host"; parts: readonly string[] };

export interface LogTerm {
  isExcluded: boolean;
  condition: LogCondition;
}

/** A line is found when each term holds; an excluded one holds where its condition does not. */
export type LogQuery = readonly LogTerm[];

/** The query can't be read; the message is a sentence for whoever wrote it. */
export class LogQueryError extends Error {}

/**
 * Reads the language in which logs are searched: terms with blanks between them, all of which must hold. There are no
 * regular expressions in it: whoever may search a log must not be able to keep a processor busy.
 * @throws LogQueryError
 */
export function parseLogQuery(query: string, kind: LogKind): LogQuery {
  if (query.length > LOG_QUERY_LENGTH_MAX) throw refused(`it has more than ${LOG_QUERY_LENGTH_MAX} characters`, kind);
  if (/\p{Cc}/u.test(query)) throw refused("it has a control character, such as a tab or the end of a line", kind);
  if (/\p{Cs}/u.test(query)) throw refused("it has half of a character", kind);
  const words = splitWords(query, kind);
  if (words.length > TERMS_MAX) throw refused(`it has more than ${TERMS_MAX} terms`, kind);
  const terms = words.map(({ isExcluded, prefix, quoted }) => {
    return { isExcluded, condition: toCondition(prefix, quoted, kind) };
  });
  // Text is compared soonest.
  const isText = ({ condition }: LogTerm): boolean => condition.field === "text";
  return [...terms.filter(isText), ...terms.filter((term) => !isText(term))];
}

interface Word {
  isExcluded: boolean;
  /** What stands before a quote, or the whole word. */
  prefix: string;
  /** What stands in quotes. */
  quoted: string | undefined;
}

/** A dash, what is no quote and no blank, and text in quotes: of each there may be none. */
const WORD = /(-?)([^\s"]*)(?:"([^"]*)("?))?/y;

function splitWords(query: string, kind: LogKind): Word[] {
  const words: Word[] = [];
  let at = 0;
  for (;;) {
    while (query[at] === " ") at += 1;
    if (at >= query.length) return words;
    WORD.lastIndex = at;
    const [whole, dash = "", prefix = "", quoted, end] = WORD.exec(query) ?? [""];
    if (whole === "") throw refused("it has a blank that is none of the keyboard's", kind);
    if (quoted !== undefined && end === "") throw refused('a quote is not closed; add `"` at its end', kind);
    at += whole.length;
    if (at < query.length && query[at] !== " " && quoted !== undefined) {
      throw refused('there is no blank after a closing `"`', kind);
    }
    words.push({ isExcluded: dash === "-", prefix, quoted });
  }
}

const FIELDS: Readonly<Record<string, LogKind>> = {
  level: "lines",
  status: "requests",
  method: "requests",
  path: "requests",
  host: "requests",
};

function toCondition(prefix: string, quoted: string | undefined, kind: LogKind): LogCondition {
  const colon = prefix.indexOf(":");
  const name = prefix.slice(0, Math.max(0, colon)).toLowerCase();
  const isField = Object.hasOwn(FIELDS, name) && (quoted === undefined || colon === prefix.length - 1);
  if (!isField) {
    if (quoted !== undefined && prefix !== "") throw refused('there is no blank before an opening `"`', kind);
    const text = quoted ?? prefix;
    if (text === "") throw refused("it has a term without text", kind);
    return { field: "text", text: text.toLowerCase() };
  }
  const of = FIELDS[name];
  if (of !== kind) throw refused(ELSEWHERE[kind](name), kind);
  const value = quoted ?? prefix.slice(colon + 1);
  if (value === "") throw refused(`\`${name}:\` has no value`, kind);
  return VALUES[name]!(value, kind);
}

const ELSEWHERE: Readonly<Record<LogKind, (name: string) => string>> = {
  lines: (name) => `\`${name}:\` is of requests; search those, or write \`"${name}:"\` for the text`,
  requests: (name) => `\`${name}:\` is of what a program writes, and requests have none`,
};

const VALUES: Readonly<Record<string, (value: string, kind: LogKind) => LogCondition>> = {
  level(value, kind) {
    const level = LEVELS.find((each) => each === value.toLowerCase());
    if (level === undefined) throw refused(`\`level:${value}\` is none of ${LEVELS.join(", ")}`, kind);
    return { field: "level", level };
  },
  status(value, kind) {
    const [, comparison = "", digits] = /^(>=|<=|>|<|=)?([1-9][0-9]{2})$/.exec(value) ?? [];
    if (digits === undefined) {
      throw refused(`\`status:${value}\` is no status of three digits, alone or after >=, >, <= or <`, kind);
    }
    return { field: "status", comparison: (comparison || "=") as Comparison, status: Number(digits) };
  },
  method(value, kind) {
    if (!/^[A-Za-z-]{1,32}$/.test(value)) throw refused(`\`method:${value}\` is no method, such as GET`, kind);
    return { field: "method", method: value.toUpperCase() };
  },
  path(value, kind) {
    if (!/^[/*]/.test(value)) throw refused(`\`path:${value}\` begins with neither / nor *`, kind);
    return { field: "path", parts: value.split(/\*+/) };
  },
  host: (value) => ({ field: "host", parts: value.toLowerCase().split(/\*+/) }),
};

function refused(what: string, kind: LogKind): LogQueryError {
  return new LogQueryError(`The query can't be read: ${what}. Allowed: ${LOG_QUERY_HINTS[kind]}`);
}
