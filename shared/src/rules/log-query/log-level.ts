import { jsonOrUndefined, recordOf } from "../../json.ts";

/** The levels that a line may have, from the gravest on. */
export const LEVELS = ["error", "warn", "info", "debug"] as const;
export type Level = (typeof LEVELS)[number];

/** Names that libraries and syslog (RFC 5424) give their levels. */
const NAMES: Readonly<Record<Level, readonly string[]>> = {
  error: ["error", "err", "fatal", "critical", "crit", "severe", "alert", "emerg", "emergency", "panic"],
  warn: ["warn", "warning"],
  info: ["info", "information", "notice"],
  debug: ["debug", "trace", "verbose", "fine"],
};
const LEVEL_OF = new Map(LEVELS.flatMap((level) => NAMES[level].map((name) => [name, level] as const)));

/** A level stands near the beginning; so a long line costs no more than a short one. UTF-16 units. */
const HEAD_LENGTH = 300;

const ANY = [...LEVEL_OF.keys()].join("|");
/** Ways to say the level in a line that is no JSON, the surest first. Each matches in time that grows with the text alone. */
const FORMS = [
  // level=warn, as of logfmt.
  /(?:^|[\s,;|])(?:level|lvl|severity)=["']?([A-Za-z]+)/,
  new RegExp(String.raw`[[<(](${ANY})[\])>]`, "i"),
  new RegExp(String.raw`(?:^|[^\w-])(${ANY.toUpperCase()})(?![\w-])`),
  new RegExp(String.raw`^(?:[0-9TZ:.,+/-]+\s){0,2}(${ANY}):?\s`, "i"),
  // TypeError: …, java.io.IOException: …
  /^(?:Uncaught |Caused by: |panic: )?[\w.$]{0,200}(Error|Exception|Traceback)(?::| \(most recent)/,
];
const ESCAPE = "\u001b";
const COLORS = new RegExp(String.raw`${ESCAPE}\[[0-9;]*m`, "g");

/** The level that a line names: in `level` or `severity` of JSON, or as words; undefined when it names none. */
export function levelOf(line: string): Level | undefined {
  const text = line.startsWith("{") ? undefined : line.slice(0, HEAD_LENGTH);
  if (text === undefined) return levelOfJson(line);
  const plain = text.includes(ESCAPE) ? text.replace(COLORS, "") : text;
  for (const form of FORMS) {
    const name = form.exec(plain)?.[1]?.toLowerCase();
    if (name !== undefined)
      return LEVEL_OF.get(name) ?? (name === "exception" || name === "traceback" ? "error" : undefined);
  }
  return undefined;
}

function levelOfJson(line: string): Level | undefined {
  const { level, severity, lvl } = recordOf(jsonOrUndefined(line));
  const named = level ?? severity ?? lvl;
  if (typeof named === "number") return levelOfNumber(named);
  return typeof named === "string" ? LEVEL_OF.get(named.toLowerCase()) : undefined;
}

/** Bunyan's and pino's numbers: 10 trace, 20 debug, 30 info, 40 warn, 50 error, 60 fatal. */
function levelOfNumber(level: number): Level | undefined {
  if (level < 10) return undefined;
  if (level >= 50) return "error";
  if (level >= 40) return "warn";
  return level >= 30 ? "info" : "debug";
}
