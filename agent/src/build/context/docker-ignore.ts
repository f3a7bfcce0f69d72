import { SvcError } from "@svc/shared/errors.ts";
import {
  firstWays,
  followName,
  followSlash,
  isWhole,
  parsePathPattern,
  type PathPattern,
  type Ways,
} from "../../platform/path-pattern.ts";
import type { Selection } from "../../platform/selection.ts";

/** The largest files of known repositories have some 200 rules of under 100 characters, with three wildcards each. */
const LIMITS = { characters: 64 * 1024, rules: 1000, ruleCharacters: 1000, wildcards: 32 };

/** A few milliseconds, after which others have their turn. */
const STEPS_A_TURN = 100_000;

/** Some 20 s of a processor, or 50,000 files and 200 rules with a star that is tried at each letter of a name. */
const STEPS_MAX = 500_000_000;

/** Paths have 4,096 characters; nobody's folders are a tenth as deep. Ways are kept for each folder above a file. */
const DEPTH_MAX = 200;

/** Lets others have their turn. */
type GiveWay = () => Promise<unknown>;

interface Rule {
  pattern: PathPattern;
  /** `!pattern`: what matches is put back. */
  isException: boolean;
}

/** A rule that may still match an entry of the folder, or that matched the folder and so all below it. */
interface OpenRule {
  rule: Rule;
  isMatched: boolean;
  ways: Ways;
}

/**
 * Reads a `.dockerignore` as Docker does: Go's filepath.Match per part, `**` for any number of folders, `!` for
 * exceptions, the last rule that matches a path or one of its folders decides. Patterns come from strangers, so each
 * name is held once against those rules that its folders left open, and the steps are counted.
 * @returns the context's root; what is below it ends with build_failed when the steps are used up
 * @throws SvcError build_failed beyond LIMITS
 */
export function parseDockerIgnore(text: string, giveWay: GiveWay, stepsMax = STEPS_MAX): Selection {
  if (text.length > LIMITS.characters) throw tooLarge("The .dockerignore is larger than the 64 KiB that it may have.");
  const rules = text
    .replace(/^\ufeff/, "")
    .split(/\r?\n/)
    .flatMap(parseRule);
  if (rules.length > LIMITS.rules) {
    throw tooLarge(`The .dockerignore has ${rules.length} rules; it may have ${LIMITS.rules}.`);
  }
  const open = rules.map((rule) => ({ rule, isMatched: false, ways: firstWays(rule.pattern) }));
  const mayKeepBelow = rules.some(({ isException }) => isException);
  const steps = new Steps(stepsMax, giveWay);

  function folder(path: string, depth: number, isLeftOut: boolean, rulesInside: readonly OpenRule[]): Selection {
    const below = async (name: string): Promise<Selection> => {
      const inner = path === "" ? name : `${path}/${name}`;
      if (depth === DEPTH_MAX) throw tooDeep(inner);
      const decided = await decide(rulesInside, name, steps);
      return folder(inner, depth + 1, decided.isLeftOut, decided.open);
    };
    return { isLeftOut, mayKeepBelow, below };
  }
  return folder("", 0, false, open);
}

async function decide(
  rules: readonly OpenRule[],
  name: string,
  steps: Steps,
): Promise<{ isLeftOut: boolean; open: OpenRule[] }> {
  const open: OpenRule[] = [];
  let isLeftOut = false;
  for (const one of rules) {
    const { rule, isMatched } = one;
    if (isMatched) {
      open.push(one);
      isLeftOut = !rule.isException;
      continue;
    }
    const { ways, steps: taken } = followName(rule.pattern, one.ways, name);
    if (steps.take(1 + taken)) await steps.giveWay();
    if (isWhole(rule.pattern, ways)) {
      isLeftOut = !rule.isException;
      open.push({ rule, isMatched: true, ways: [] });
    } else {
      const inside = followSlash(rule.pattern, ways);
      if (inside.length > 0) open.push({ rule, isMatched: false, ways: inside });
    }
  }
  return { isLeftOut, open };
}

/** Counts what a whole context takes. */
class Steps {
  #left: number;
  #leftOfTurn = STEPS_A_TURN;

  readonly giveWay: GiveWay;

  constructor(max: number, giveWay: GiveWay) {
    this.#left = max;
    this.giveWay = giveWay;
  }

  /** @returns whether it is the turn of others. @throws SvcError build_failed when there are none left */
  take(count: number): boolean {
    this.#left -= count;
    this.#leftOfTurn -= count;
    if (this.#left < 0)
      throw tooLarge("The .dockerignore takes too long to be held against all files of the repository.");
    if (this.#leftOfTurn > 0) return false;
    this.#leftOfTurn = STEPS_A_TURN;
    return true;
  }
}

function parseRule(line: string, index: number): Rule[] {
  if (line.startsWith("#")) return [];
  const where = `Line ${index + 1} of the .dockerignore has`;
  if (line.length > LIMITS.ruleCharacters) {
    throw tooLarge(`${where} ${line.length} characters; a rule may have ${LIMITS.ruleCharacters}.`);
  }
  const trimmed = line.trim();
  const isException = trimmed.startsWith("!");
  const path = clean(isException ? trimmed.slice(1).trim() : trimmed);
  if (path === "") return [];
  const pattern = parsePathPattern(path);
  if (pattern.wildcards > LIMITS.wildcards) {
    throw tooLarge(`${where} ${pattern.wildcards} wildcards; a rule may have ${LIMITS.wildcards}.`);
  }
  return [{ pattern, isException }];
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

function tooLarge(problem: string): SvcError {
  return new SvcError("build_failed", `${problem} Leave whole folders out instead of single files.`);
}

function tooDeep(path: string): SvcError {
  const start = path.split("/").slice(0, 3).join("/");
  return new SvcError(
    "build_failed",
    `The repository has folders more than ${DEPTH_MAX} levels deep, below ${start}. Name ${start} in .dockerignore, or ` +
      "remove it from the repository.",
  );
}
