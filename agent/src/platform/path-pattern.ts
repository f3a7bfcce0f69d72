/** One step of a pattern. `dirs` is any number of whole folders, `rest` anything at all. */
export type Token = { kind: "text"; one: (character: string) => boolean } | { kind: "star" | "dirs" | "rest" };

export interface PathPattern {
  tokens: readonly Token[];
  /** How many of its tokens stand for more than one text. */
  wildcards: number;
}

/** Reads a pattern of Go's filepath.Match, with `**` for any number of folders. */
export function parsePathPattern(pattern: string): PathPattern {
  const tokens: Token[] = [];
  const hasSet = pattern.includes("]");
  let wildcards = 0;
  for (let at = 0; at < pattern.length;) {
    const { length, token, isWildcard } = nextToken(pattern, at, hasSet);
    tokens.push(token);
    if (isWildcard) wildcards += 1;
    at += length;
  }
  return { tokens, wildcards };
}

/** Sticky: each looks at one place, so that reading a pattern takes time in proportion to its length. */
const FOLDERS = /\*\*+(\/?)/y;
const SET = /\[(\^?)((?:\\[^]|[^\]\\])+)\]/uy;

interface Read {
  length: number;
  token: Token;
  isWildcard: boolean;
}

function nextToken(pattern: string, at: number, hasSet: boolean): Read {
  const folders = matchAt(FOLDERS, pattern, at);
  if (folders) return wildcard(folders[0].length, { kind: folders[1] === "/" ? "dirs" : "rest" });
  if (pattern[at] === "*") return wildcard(1, { kind: "star" });
  if (pattern[at] === "?") return wildcard(1, { kind: "text", one: (character) => character !== "/" });
  const set = hasSet ? matchAt(SET, pattern, at) : null;
  if (set) {
    const isInSet = characterSet(set[2]!);
    const isNegated = set[1] === "^";
    const one = (character: string): boolean => character !== "/" && isInSet(character) !== isNegated;
    return wildcard(set[0].length, { kind: "text", one });
  }
  const escape = pattern[at] === "\\" && at + 1 < pattern.length ? 1 : 0;
  const wanted = String.fromCodePoint(pattern.codePointAt(at + escape)!);
  return {
    length: escape + wanted.length,
    token: { kind: "text", one: (character) => character === wanted },
    isWildcard: false,
  };
}

function wildcard(length: number, token: Token): Read {
  return { length, token, isWildcard: true };
}

function matchAt(sticky: RegExp, text: string, at: number): RegExpExecArray | null {
  sticky.lastIndex = at;
  return sticky.exec(text);
}

/** The inside of [...]: characters and ranges. */
function characterSet(inside: string): (character: string) => boolean {
  const ranges = [...inside.matchAll(/(\\[^]|[^\\])(?:-(\\[^]|[^\\]))?/gu)].map(([, low, high]) => {
    return [lastOf(low!), lastOf(high ?? low!)] as const;
  });
  return (character) => {
    const code = character.codePointAt(0)!;
    return ranges.some(([low, high]) => low <= code && code <= high);
  };
}

/** The character itself, behind the backslash that it may have. */
function lastOf(escaped: string): number {
  return [...escaped].at(-1)!.codePointAt(0)!;
}

/**
 * The ways through a pattern that a path may have taken so far, as indexes of the tokens that come next, ascending. All
 * ways are followed at once, so that a path takes time in proportion to its length and the pattern's.
 */
export type Ways = readonly number[];

export function firstWays({ tokens }: PathPattern): Ways {
  const ways: number[] = [];
  enter(ways, 0, tokens);
  return ways;
}

/** Follows a name, which holds no slash. `steps` counts the tokens that were held against a character. */
export function followName({ tokens }: PathPattern, from: Ways, name: string): { ways: Ways; steps: number } {
  let ways = from;
  let steps = 0;
  for (const character of name) {
    if (ways.length === 0 || waitsForSlash(tokens, ways)) break;
    steps += ways.length;
    const next: number[] = [];
    for (const at of ways) {
      const token = tokens[at];
      if (token?.kind === "text") {
        if (token.one(character)) enter(next, at + 1, tokens);
      } else if (token?.kind === "dirs") add(next, at);
      else if (token !== undefined) enter(next, at, tokens);
    }
    ways = next;
  }
  return { ways, steps };
}

/** Most names end so for most rules: the only way left is one that passes over whole folders. */
function waitsForSlash(tokens: readonly Token[], ways: Ways): boolean {
  return ways.length === 1 && tokens[ways[0]!]?.kind === "dirs";
}

/** Follows the slash behind a folder's name. */
export function followSlash({ tokens }: PathPattern, ways: Ways): Ways {
  const next: number[] = [];
  for (const at of ways) {
    const token = tokens[at];
    if (token?.kind === "text" && token.one("/")) enter(next, at + 1, tokens);
    if (token?.kind === "dirs" || token?.kind === "rest") enter(next, at, tokens);
  }
  return next;
}

/** Whether the path may end here. */
export function isWhole({ tokens }: PathPattern, ways: Ways): boolean {
  return ways.at(-1) === tokens.length;
}

/** Adds a way, and those that it becomes without a further character: each token but a text may stand for nothing. */
function enter(ways: number[], way: number, tokens: readonly Token[]): void {
  for (let at = way; add(ways, at); at += 1) {
    if ((tokens[at]?.kind ?? "text") === "text") return;
  }
}

/** Ways come in ascending order, so one that is no larger than the last is there already, with those that it becomes. */
function add(ways: number[], way: number): boolean {
  const isNew = way > (ways.at(-1) ?? -1);
  if (isNew) ways.push(way);
  return isNew;
}
