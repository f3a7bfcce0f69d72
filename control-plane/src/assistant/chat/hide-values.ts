/** A person's text as a model and the database get it. */
export interface HiddenText {
  text: string;
  /** The values that it held, in the order of their placeholders. */
  values: string[];
}

// The bundle is ASCII, which a regular expression has to be of itself.
const PLACEHOLDER = /\u00abvalue ([0-9]{1,4})\u00bb/g;
/** A value that stands alone, or in quotes, which are not a part of it; a quote without an end hides its whole line. */
const VALUE = String.raw`"(?:[^"\\]|\\[\s\S])*"(?![^\s,])|'[^']*'(?![^\s,])|["'][^\n\u00ab]*|[^\s\u00ab]+`;
const PAIR = new RegExp(String.raw`((?:^|[^\w])[A-Za-z_]\w*\s?=\s?)(${VALUE})`, "g");
/** A line of an `.env` file: everything behind the sign is the value. */
const ENV_LINE = /^([ \t]*(?:export[ \t]+)?[A-Za-z_]\w*=)([^\n\u00ab]+)$/gm;
/** A sentence, or a colon as in JSON, instead of a sign; the name is in capitals, as variables are. */
const SENTENCE = new RegExp(
  String.raw`(\b[A-Z][A-Z0-9_]+(?:\s+(?:on|of|for|in)\s+(?:the\s+)?(?:app\s+)?\S+)?\s+(?:to be|to|as|is)\s+|\b[A-Z][A-Z0-9]*_[A-Z0-9_]*["']?\s*:\s*)(${VALUE})`,
  "g",
);

/**
 * Puts a placeholder in the place of each value of a variable: `KEY=secret` becomes `KEY=«value 1»`.
 * @param first the number of the first placeholder, so that those of a conversation differ
 */
export function hideValues(text: string, first: number): HiddenText {
  const values: string[] = [];
  const hide = (_all: string, name: string, value: string): string => {
    const [, comma = ""] = /[^,](,)$/.exec(value) ?? [];
    values.push(unquoted(value.slice(0, value.length - comma.length)));
    return `${name}«value ${first + values.length - 1}»${comma}`;
  };
  // A person's own quotes of that kind are no placeholders.
  const own = text.replaceAll("«", "‹").replaceAll("»", "›");
  const isEnvFile = (own.match(ENV_LINE)?.length ?? 0) > 1;
  const lines = isEnvFile ? own.replaceAll(ENV_LINE, hide) : own;
  return { text: lines.replaceAll(PAIR, hide).replaceAll(SENTENCE, hide), values };
}

/** Puts the values back; undefined when there is no such value. */
export function restoreValues(text: string, values: ReadonlyMap<number, string>): string | undefined {
  const numbers = [...text.matchAll(PLACEHOLDER)].map(([, number]) => Number(number));
  if (!numbers.every((number) => values.has(number))) return undefined;
  return text.replaceAll(PLACEHOLDER, (_all, number: string) => values.get(Number(number))!);
}

/** Whether the text is a placeholder and nothing else. */
export function isPlaceholder(text: string): boolean {
  return /^\u00abvalue [0-9]{1,4}\u00bb$/.test(text);
}

function unquoted(value: string): string {
  const [, double, single] = /^(?:"([\s\S]*)"|'([\s\S]*)')$/.exec(value) ?? [];
  return double?.replaceAll(/\\(["\\])/g, "$1") ?? single ?? value;
}
