import { parseStartCommand, type StartCommand } from "../../../spec/start-command.ts";

/** The command that a script of package.json runs, without the package manager between the system and the app. */
export interface ScriptCommand {
  command: StartCommand;
  /** The program that stays: `node`, `next`, `tsx`; undefined when only a shell can tell. */
  program: string | undefined;
}

type Scripts = Readonly<Record<string, string>>;

/** Scripts that call scripts are seldom deeper than two; a circle ends here. */
const DEPTH_MAX = 5;

/** More commands than a person writes; what calls itself many times over ends here. */
const COMMANDS_MAX = 50;

/**
 * The command of a script as a package manager would run it, its `pre` script first, but such that signals reach the
 * app: a plain line becomes its words, the last command of an `&&` list replaces the shell. Whatever is more than that
 * is left to a shell as it is written.
 */
export function scriptCommand(scripts: Scripts, name: string): ScriptCommand {
  const before = scripts[`pre${name}`] === undefined ? [] : [scripts[`pre${name}`]!];
  const line = [...before, scripts[name]!].join(" && ");
  const commands = expand(scripts, line, 0);
  if (commands === undefined) return { command: { form: "shell", line }, program: undefined };
  const last = commands.at(-1)!;
  const program = programOf(last);
  if (commands.length === 1) return { command: { form: "exec", words: last }, program };
  const parts = commands.map(shellWords);
  const list = [...parts.slice(0, -1), `exec ${parts.at(-1)!}`].join(" && ");
  return { command: { form: "shell", line: list }, program };
}

/** The commands of an `&&` list in words; undefined when there is more in it than words. */
function expand(scripts: Scripts, line: string, depth: number): string[][] | undefined {
  const commands: string[][] = [];
  for (const part of line.split("&&")) {
    const words = wordsOf(part);
    if (words === undefined) return undefined;
    const called = calledScript(scripts, words);
    if (called === undefined) {
      commands.push(words);
      continue;
    }
    const inner = depth < DEPTH_MAX ? expand(scripts, scripts[called]!, depth + 1) : undefined;
    if (inner === undefined || commands.length + inner.length > COMMANDS_MAX) return undefined;
    commands.push(...inner);
  }
  return commands;
}

/** Leading assignments are done by `env`, which the program then replaces. */
function wordsOf(part: string): string[] | undefined {
  const [, assigned = "", rest = ""] = /^((?:[A-Za-z_]\w*=[\w./:@,+-]*\s+)*)(.*)$/s.exec(part.trim()) ?? [];
  const start = parseStartCommand(rest);
  if (start.form === "shell" || start.words.length === 0) return undefined;
  const assignments = assigned.split(/\s+/).filter(Boolean);
  const words = withoutWrapper(start.words);
  if (assignments.length === 0) return words;
  return words[0] === "env" ? ["env", ...assignments, ...words.slice(1)] : ["env", ...assignments, ...words];
}

/** `cross-env A=b program` and `npx program` stay in memory beside the program; `env`, or nothing, does not. */
function withoutWrapper(words: readonly string[]): string[] {
  const [first, second] = words;
  if (first === "cross-env" && words.length > 2) return ["env", ...words.slice(1)];
  const isPlainCall = (first === "npx" || first === "bunx") && second !== undefined && /^[\w.-]+$/.test(second);
  return isPlainCall && second.charAt(0) !== "-" ? words.slice(1) : [...words];
}

const MANAGERS = ["npm", "pnpm", "yarn", "bun"];

/** The script that a command such as `npm run serve` or `yarn serve` names. */
export function calledScript(scripts: Scripts, words: readonly string[]): string | undefined {
  const [manager = "", ...rest] = words;
  if (!MANAGERS.includes(manager)) return undefined;
  const [name, ...more] = rest[0] === "run" ? rest.slice(1) : rest;
  const isCall = name !== undefined && more.length === 0 && Object.hasOwn(scripts, name);
  // `bun server.js` and `npm serve` are no scripts.
  return isCall && (rest[0] === "run" || manager !== "npm" || name === "start") ? name : undefined;
}

function programOf(words: readonly string[]): string | undefined {
  return words[0] === "env" ? words.slice(1).find((word) => !/^[A-Za-z_]\w*=/.test(word)) : words[0];
}

function shellWords(words: readonly string[]): string {
  return words.map((word) => (/^[\w./:@,+=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(" ");
}
