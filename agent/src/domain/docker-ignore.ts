/** Whether a path of the build context is left out by a `.dockerignore`. */
export type IsIgnored = (path: string) => boolean;

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
 */
export function parseDockerIgnore(text: string): IsIgnored {
  const rules = text
    .replace(/^\ufeff/, "")
    .split(/\r?\n/)
    .flatMap(parseRule);
  return (path) => {
    const candidates = [...foldersOf(path), path];
    let ignored = false;
    for (const rule of rules) {
      if (rule.isException === ignored && candidates.some((one) => matches(rule.tokens, one))) {
        ignored = !rule.isException;
      }
    }
    return ignored;
  };
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

function tokenize(pattern: string): Token[] {
  const tokens: Token[] = [];
  for (let index = 0; index < pattern.length;) {
    const rest = pattern.slice(index);
    const [text, token] = nextToken(rest);
    tokens.push(token);
    index += text.length;
  }
  return tokens;
}

function nextToken(rest: string): [string, Token] {
  const folders = /^\*\*+(\/?)/.exec(rest);
  if (folders) return [folders[0], { kind: folders[1] === "/" ? "dirs" : "rest" }];
  if (rest.startsWith("*")) return ["*", { kind: "star" }];
  if (rest.startsWith("?")) return ["?", { kind: "text", one: (character) => character !== "/" }];
  const set = /^\[(\^?)((?:\\[^]|[^\]\\])+)\]/.exec(rest);
  if (set) {
    const isInSet = characterSet(set[2]!);
    const isNegated = set[1] === "^";
    return [set[0], { kind: "text", one: (character) => character !== "/" && isInSet(character) !== isNegated }];
  }
  const text = /^\\[^]/.exec(rest)?.[0] ?? rest.slice(0, 1);
  const wanted = text.at(-1)!;
  return [text, { kind: "text", one: (character) => character === wanted }];
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
