/** The texts that a person has filled in, by the name of their slot. */
export type Slots = Readonly<Partial<Record<SlotName, string>>>;
export type SlotName = keyof typeof SLOTS;

const PLACEHOLDER = "«value [0-9]{1,4}»";
const SETTING = `[A-Za-z_][A-Za-z0-9_]{0,255}=${PLACEHOLDER}`;

/** The shape of each slot. None can match in two ways within a word, so that a long text costs no more than its length squared. */
const SLOTS = {
  app: "[A-Za-z0-9][A-Za-z0-9-]{0,62}",
  ref: "[^\\s,;]{1,255}",
  release: "[A-Za-z0-9][\\w.-]{0,62}",
  /** The name of a release that was given none, such as v3: any other word may be an app's name. */
  numbered: "v[0-9]{1,9}",
  query: "[^\\n]{1,500}",
  domain: "[A-Za-z0-9-]+(?:\\.[A-Za-z0-9-]+)+",
  /** A variable is in capitals, so that an app's name is not taken for one. */
  key: "[A-Z_][A-Z0-9_]{0,255}",
  /** A key that was announced as a variable's. */
  name: "[A-Za-z_][A-Za-z0-9_]{0,255}",
  value: PLACEHOLDER,
  settings: `${SETTING}(?:(?: and)? ${SETTING})*`,
  /** The wish that what was set applies at once. */
  again: "(?:[rR]e)?[dD]eploy(?: it)?(?: again)?",
} as const;

/** A compiled sentence. */
export type Form = (text: string) => Slots | undefined;

/**
 * Compiles a sentence's form: words stand for themselves, whatever their case; `[a b]` may be left out; `(a|b c)` is a choice;
 * `{app}` is filled in.
 */
export function form(source: string): Form {
  const pattern = new RegExp(`^${compile(source)}$`);
  return (text) => {
    const found = pattern.exec(` ${text}`);
    return found ? (found.groups ?? {}) : undefined;
  };
}

const TOKEN = /\s*([[\](){}|]|[^\s[\](){}|]+)/gy;

function compile(source: string): string {
  const tokens = [...source.matchAll(TOKEN)].map(([, token]) => token!);
  let at = 0;
  const pattern = sequence();
  if (at < tokens.length) throw new Error(`the form ${source} has ${tokens[at]} too many`);
  return pattern;

  function sequence(): string {
    const choices = [""];
    for (; at < tokens.length && !/^[\])]$/.test(tokens[at]!); at++) {
      if (tokens[at] === "|") choices.push("");
      else choices.push(choices.pop()! + element());
    }
    return choices.length === 1 ? choices[0]! : `(?:${choices.join("|")})`;
  }

  /** Leaves `at` on its last token. */
  function element(): string {
    const token = tokens[at]!;
    if (token === "{") return slot();
    if (token !== "[" && token !== "(") return ` ${anyCase(token)}`;
    at++;
    const inner = sequence();
    return token === "[" ? `(?:${inner})?` : inner;
  }

  function slot(): string {
    const name = tokens[(at += 1)] as SlotName;
    at += 1;
    return ` (?<${name}>${SLOTS[name]})`;
  }
}

function anyCase(word: string): string {
  return word.replaceAll(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`).replaceAll(/[?.]/g, "\\$&");
}
