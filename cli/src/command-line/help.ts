import type { CommandSpec, Options } from "./command.ts";
import { GLOBAL_OPTIONS } from "./parse-command-line.ts";

/** All commands, a line each. */
export function overview(commands: readonly CommandSpec[]): string {
  const lines = [...groups(commands)].map(([word, group]) => [word, group[0]!.summary] as const);
  return [
    "svc: from a git repository to an app served over HTTPS, on your own machines.",
    "",
    "Usage: svc COMMAND [OPTIONS]",
    "",
    ...columns(lines),
    "",
    "Options of every command:",
    ...columns(optionLines(GLOBAL_OPTIONS)),
    "",
    "Exit status: 0 success, 1 the deploy failed or the request was refused, 2 wrong use or a mistake in the spec file,",
    "3 not authenticated, 4 the service could not be reached.",
  ].join("\n");
}

/** The commands of one word, such as `env`. */
export function groupHelp(word: string, commands: readonly CommandSpec[]): string {
  const group = commands.filter(({ name }) => name.split(" ")[0] === word);
  const usageOf = (command: CommandSpec): string => {
    const options = columns(optionLines(command.options)).map((line) => `\n  ${line}`);
    return commandUsage(command) + options.join("");
  };
  return group.map(usageOf).join("\n");
}

export function commandHelp(command: CommandSpec): string {
  const own = optionLines(command.options);
  return [
    commandUsage(command),
    ...(command.details === undefined ? [] : ["", command.details]),
    ...(own.length === 0 ? [] : ["", "Options:", ...columns(own)]),
    "",
    "Options of every command:",
    ...columns(optionLines(GLOBAL_OPTIONS)),
  ].join("\n");
}

function commandUsage({ name, takes = [], summary }: CommandSpec): string {
  return `svc ${[name, ...takes].join(" ")}\n    ${summary}`;
}

export function groups(commands: readonly CommandSpec[]): Map<string, CommandSpec[]> {
  const byWord = new Map<string, CommandSpec[]>();
  for (const command of commands) {
    const word = command.name.split(" ")[0]!;
    byWord.set(word, [...(byWord.get(word) ?? []), command]);
  }
  return byWord;
}

function optionLines(options: Options = {}): [string, string][] {
  return Object.entries(options).map(([name, { short, value, help }]) => [
    `${short === undefined ? "" : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`,
    help,
  ]);
}

function columns(lines: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...lines.map(([left]) => left.length));
  return lines.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
