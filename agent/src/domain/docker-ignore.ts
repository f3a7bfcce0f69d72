import { SvcError } from "@svc/shared/errors.ts";

/** Whether a path of the build context is left out by a `.dockerignore`. */
export type IsIgnored = (path: string) => boolean;

export interface DockerIgnore {
  isIgnored: IsIgnored;
  /** Whether some rule puts something back. */
  hasExceptions: boolean;
}

/**
 * Each path of the context is held against each rule. The largest files of known repositories have some 200 rules of
 * under 100 characters.
 */
const LIMITS = { characters: 64 * 1024, rules: 1000, ruleCharacters: 1000 };

interface Rule {
  tokens: readonly Token[];
  /** `!pattern`: what matches is put back. */
  isException: boolean;
}

/** One step of a pattern. `dirs` is any number of whole folders, `rest` anything at all. */
type Token = { kind: "text"; one: (character: string) => boolean } | { kind: "star" | "dirs" | "rest" };

/**
 * Reads a `.dockerignore` as Docker does: Go's filepath.Match per part, `**` for any number of folders, `!` for
 * exceptions, the last rule that matches a path or one of its folders decides. Patterns come from strangers, so they
 * are matched in time proportional to pattern and path, without regular expressions.
 * @throws SvcError build_failed beyond LIMITS
 */
export function parseDockerIgnore(text: string): DockerIgnore {
  if (text.length > LIMITS.characters) throw tooLarge("64 KiB");
  const lines = text.replace(/^\ufeff/, "").split(/\r?\n/);
  if (lines.some((line) => line.length > LIMITS.ruleCharacters)) {
    throw tooLarge(`${LIMITS.ruleCharacters} characters a line`);
  }
  const rules = lines.flatMap(parseRule);
  if (rules.length > LIMITS.rules) throw tooLarge(`${LIMITS.rules} rules`);
  const isIgnored: IsIgnored = (path) => {
    const candidates = [...foldersOf(path), path];
    let ignored = false;
    for (const rule of rules) {
      if (rule.isException === ignored && candidates.some((one) => matches(rule.tokens, one))) {
        ignored = !rule.isException;
      }
    }
    return ignored;
  };
  return { isIgnored, hasExceptions: rules.some(({ isException }) => isException) };
}

function tooLarge(allowed: string): SvcError {
  return new SvcError(
    "build_failed",
    `The .dockerignore is larger than the ${allowed} that it may have. Leave whole folders out instead of single files.`,
  );
}

function parseRule(line: string): Rule[] {
  if (line.startsWith("#")) return [];
  const trimmed = line.trim();
  const isException = trimmed.startsWith("!");
  const pattern = clean(isException ? trimmed.slice(1).trim() : trimmed);
  return pattern === "" ? [] : [{ tokens: tokenize(pattern), isException }];
}

/** Go's path.Clean, from the context's root: no `.`, no `//`, nothing above the root. */
function clean(pattern: string): string {
  const parts: string[] = [];
  for (const part of pattern.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts.join("/");
}

function foldersOf(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_part, index) => parts.slice(0, index + 1).join("/"));
}

/** Sticky: each looks at one place, so that reading a pattern takes time in proportion to its length. */
const FOLDERS = /\*\*+(\/?)/y;
const SET = /\[(\^?)((?:\\[^]|[^\]\\])+)\]/y;

function tokenize(pattern: string): Token[] {
  const tokens: Token[] = [];
  const hasSet = pattern.includes("]");
  for (let at = 0; at < pattern.length;) {
    const [length, token] = nextToken(pattern, at, hasSet);
    tokens.push(token);
    at += length;
  }
  return tokens;
}

function nextToken(pattern: string, at: number, hasSet: boolean): [number, Token] {
  const folders = matchAt(FOLDERS, pattern, at);
  if (folders) return [folders[0].length, { kind: folders[1] === "/" ? "dirs" : "rest" }];
  if (pattern[at] === "*") return [1, { kind: "star" }];
  if (pattern[at] === "?") return [1, { kind: "text", one: (character) => character !== "/" }];
  const set = hasSet ? matchAt(SET, pattern, at) : null;
  if (set) {
    const isInSet = characterSet(set[2]!);
    const isNegated = set[1] === "^";
    return [set[0].length, { kind: "text", one: (character) => character !== "/" && isInSet(character) !== isNegated }];
  }
  const length = pattern[at] === "\\" && at + 1 < pattern.length ? 2 : 1;
  const wanted = pattern[at + length - 1]!;
  return [length, { kind: "text", one: (character) => character === wanted }];
}

function matchAt(sticky: RegExp, text: string, at: number): RegExpExecArray | null {
  sticky.lastIndex = at;
  return sticky.exec(text);
}

/** The inside of [...]: characters and ranges. */
function characterSet(inside: string): (character: string) => boolean {
  const ranges = [...inside.matchAll(/(\\[^]|[^\\])(?:-(\\[^]|[^\\]))?/g)].map(([, low, high]) => {
    return [low!.at(-1)!, (high ?? low!).at(-1)!] as const;
  });
  return (character) => ranges.some(([low, high]) => low <= character && character <= high);
}

/** Follows all ways through the pattern at once: `states[i]` says whether the first i tokens can have matched so far. */
function matches(tokens: readonly Token[], path: string): boolean {
  let states = skipEmpty(tokens, [true], "/");
  for (const character of path) {
    const next: boolean[] = [];
    tokens.forEach((token, index) => {
      if (!states[index]) return;
      if (token.kind === "text") next[index + 1] ||= token.one(character);
      else if (token.kind !== "star" || character !== "/") next[index] = true;
    });
    states = skipEmpty(tokens, next, character);
    if (!states.some(Boolean)) return false;
  }
  return states[tokens.length] === true;
}

/** Adds what is reached without a character: a star may end anywhere, folders only after a slash. */
function skipEmpty(tokens: readonly Token[], states: boolean[], previous: string): boolean[] {
  tokens.forEach((token, index) => {
    if (!states[index] || token.kind === "text") return;
    if (token.kind !== "dirs" || previous === "/") states[index + 1] = true;
  });
  return states;
}
