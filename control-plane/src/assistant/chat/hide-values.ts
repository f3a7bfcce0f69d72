/** A person's text as a model and the database get it. */
export interface HiddenText {
  text: string;
  /** The values that it held, in the order of their placeholders. */
  values: string[];
}

// The bundle is ASCII, which a regular expression has to be of itself.
const PLACEHOLDER = /\u00abvalue ([0-9]{1,4})\u00bb/g;
/** A private key or a certificate (RFC 7468): its lines belong together, also when its end is missing. */
const PEM = String.raw`-----BEGIN [\s\S]*?(?:-----END [^\n-]*-----|$(?![\s\S]))`;
const QUOTED = String.raw`"(?:[^"\\]|\\[\s\S])*"|'[^']*'|\u0060[^\u0060]*\u0060|\u201c[^\u201c\u201d]*\u201d`;
/** A value that stands alone, or in quotes, which are not a part of it; a quote without an end hides its whole line. */
const VALUE = String.raw`${PEM}|(?:${QUOTED})(?![^\s,])|["'\u0060\u201c][^\n\u00ab]*|[^\s\u00ab]+`;
/** Bounded, so that a text full of spaces costs no more than its length. */
const SPACE = String.raw`\s{0,20}`;
const PAIR = new RegExp(String.raw`((?:^|[^\w])[A-Za-z_]\w*${SPACE}(?::=|=>?)${SPACE})(${VALUE})`, "g");
/** A pair of JSON, and a line of YAML: the name tells that its value is one. */
const JSON_PAIR = new RegExp(
  String.raw`(["'][A-Za-z_]\w*["']${SPACE}:${SPACE})(${QUOTED}|["'][^\n\u00ab]*|[^\s"',}\]\u00ab]+)`,
  "g",
);
/** A line of an `.env` file: everything behind the sign is the value, which has several lines in quotes. */
const ENV_LINE = new RegExp(
  String.raw`^([ \t]*(?:export[ \t]+)?[A-Za-z_]\w*[ \t]{0,20}=[ \t]{0,20})(${PEM}|(?:${QUOTED})(?=[ \t\r]{0,20}$)|[^\s\u00ab][^\n\u00ab]*)`,
  "gm",
);
/** Words between a name in a sentence and its value. */
const LEADS = String.raw`(?:to be|to|as|is):?\s{1,20}(?:(?:the\s{1,20})?value:?\s{1,20})?`;
const APP = String.raw`\s{1,20}(?:on|of|for|in)(?:\s{1,20}(?:the|app))*\s{1,20}\S+`;
/** A word that announces a secret, alone or at the end of a name. */
const SECRET_WORD = String.raw`\b\w{0,40}(?:[Pp]assw(?:or)?d|[Pp]assphrase|[Ss]ecret|[Tt]oken|[Aa]pi[ _-]?[Kk]ey)`;
/** A sentence instead of a sign; the name is in capitals, as variables are. */
const SENTENCE = new RegExp(
  [
    String.raw`(\b[A-Z][A-Z0-9_]+(?:${APP})?\s{1,20}${LEADS}`,
    String.raw`\b[A-Z][A-Z0-9_]+\s{0,20}->\s{0,20}`,
    String.raw`\b[A-Z][A-Z0-9]*_[A-Z0-9_]*${SPACE}:${SPACE}`,
    String.raw`\b(?:[Ss]et|export|setenv)\s{1,20}[A-Z][A-Z0-9_]+\s{1,20}(?!(?:to|as|is|on|of|for|in|at|from|and|then|->)\b|[-=:\u00ab])`,
    String.raw`\b(?:[Ss]et|[Cc]hange)(?:\s{1,20}(?:the|my|variable)){0,3}\s{1,20}(?:[A-Za-z]\w{0,80}_\w{0,80}|${SECRET_WORD})\s{1,20}${LEADS}`,
    String.raw`${SECRET_WORD}(?:${SPACE}:${SPACE}|\s{1,20}is:?\s{1,20})`,
    String.raw`\b[Bb]earer\s{1,20}(?=[^\s\u00ab]{8})`,
    // The password of an address.
    String.raw`://[^\s/@:\u00ab]{0,255}:(?=[^\s/@\u00ab]{1,255}@))(${VALUE})`,
  ].join("|"),
  "g",
);
/** A key that stands alone in the text. */
const BARE_PEM = new RegExp(`()(${PEM})`, "g");
/** A shorter value, or a plain word, may stand in a text by chance. UTF-16 units. */
const REPEATED_LENGTH_MIN = 8;

/**
 * Puts a placeholder in the place of each value of a variable: `KEY=secret` becomes `KEY=«value 1»`.
 * @param first the number of the first placeholder, so that those of a conversation differ
 * @param known values of earlier messages, by their numbers: a text that repeats one gets its placeholder
 */
export function hideValues(text: string, first: number, known: ReadonlyMap<number, string> = new Map()): HiddenText {
  const values: string[] = [];
  const hide = (_all: string, name: string, value: string): string => {
    const [, comma = ""] = /[^,](,)$/.exec(value) ?? [];
    values.push(unquoted(value.slice(0, value.length - comma.length)));
    return `${name}«value ${first + values.length - 1}»${comma}`;
  };
  // A person's own quotes of that kind are no placeholders.
  const plain = text.replaceAll("«", "‹").replaceAll("»", "›");
  const isEnvFile = (plain.match(ENV_LINE)?.length ?? 0) > 1;
  const lines = isEnvFile ? plain.replaceAll(ENV_LINE, hide) : plain;
  const hidden = [PAIR, JSON_PAIR, SENTENCE, BARE_PEM].reduce((rest, form) => rest.replaceAll(form, hide), lines);
  const own = values.map((value, index) => [first + index, value] as const);
  return { text: withoutRepeated(hidden, [...known, ...own]), values };
}

/** The longest is looked for first, since another one may be a part of it. */
function withoutRepeated(text: string, values: readonly (readonly [number, string])[]): string {
  return values
    .filter(([, value]) => value.length >= REPEATED_LENGTH_MIN && /[^a-z.-]/.test(value))
    .toSorted(([, a], [, b]) => b.length - a.length)
    .reduce((rest, [number, value]) => rest.replaceAll(value, () => `«value ${number}»`), text);
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
  const [, double, single] = /^(?:"([\s\S]*)"|['`\u201c]([\s\S]*)['`\u201d])$/.exec(value) ?? [];
  return double?.replaceAll(/\\(["\\])/g, "$1") ?? single ?? value;
}
