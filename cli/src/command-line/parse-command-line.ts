import { parseArgs } from "node:util";
import { nearest } from "@svc/shared/spec/nearest.ts";
import { wrongUse } from "../output/cli-error.ts";
import { Flags, type CommandSpec, type Options } from "./command.ts";

/** Every command has these. */
export const GLOBAL_OPTIONS: Options = {
  app: { type: "string", value: "NAME", help: "the app; otherwise the name in the spec file, or what link remembers" },
  dir: { type: "string", value: "DIR", help: "work there instead of in the current folder" },
  url: { type: "string", value: "URL", help: "the service's address; otherwise SVC_URL or what login stored" },
  key: { type: "string", value: "KEY", help: "the API key; SVC_API_KEY keeps it out of the list of processes" },
  json: { type: "boolean", help: "JSON on standard output, for programs" },
  help: { type: "boolean", short: "h", help: "say how it is used" },
};

export interface CommandLine {
  /** Is undefined when help is asked for as a whole. */
  command: CommandSpec | undefined;
  /** The first word of several commands, for their common help. */
  group: string | undefined;
  args: readonly string[];
  flags: Flags;
}

/** @throws CliError wrong_use */
export function parseCommandLine(argv: readonly string[], commands: readonly CommandSpec[]): CommandLine {
  const words = positionalsOf(argv);
  const [first, second] = words;
  const named = commands.find(({ name }) => name === `${first?.text} ${second?.text}`);
  // `svc env` lists; `svc env --help` tells of all that begin so.
  const asksForHelp = argv.includes("--help") || argv.includes("-h");
  const isGroup = commands.some(({ name }) => name.startsWith(`${first?.text} `));
  const single = isGroup && (second || asksForHelp) ? undefined : commands.find(({ name }) => name === first?.text);
  const list = second || asksForHelp ? undefined : commands.find(({ name }) => name === `${first?.text} list`);
  const command = named ?? single ?? list;
  if (!command) return withoutCommand(argv, first?.text, second?.text, commands);

  const taken = new Set(
    words.slice(0, command === list ? 1 : command.name.split(" ").length).map(({ index }) => index),
  );
  const rest = argv.filter((_, index) => !taken.has(index));
  const { values, positionals } = parse(rest, { ...GLOBAL_OPTIONS, ...command.options }, command.name);
  const flags = new Flags(values);
  if (!flags.isSet("help")) checkCount(command, positionals);
  return { command, group: undefined, args: positionals, flags };
}

function withoutCommand(
  argv: readonly string[],
  first: string | undefined,
  second: string | undefined,
  commands: readonly CommandSpec[],
): CommandLine {
  const group = commands.some(({ name }) => name.startsWith(`${first} `)) ? first : undefined;
  if (first !== undefined && first !== "help" && (group === undefined || second !== undefined)) {
    const names = commands.map(({ name }) => name);
    const known =
      group === undefined
        ? [...new Set(names.map((name) => name.split(" ")[0]!))]
        : names.filter((name) => `${name} `.startsWith(`${group} `));
    const typed = group === undefined ? first : `${first} ${second}`;
    throw wrongUse(
      `There is no command ${JSON.stringify(typed)}${didYouMean(typed, known)}: use one of ${known.join(", ")}.`,
    );
  }
  if (first === undefined) parse(argv, { ...GLOBAL_OPTIONS, version: { type: "boolean", help: "" } }, "");
  return { command: undefined, group, args: [], flags: new Flags({ help: true }) };
}

/** The hint that follows an unknown word; empty when none of the names is like it. */
function didYouMean(typed: string, names: readonly string[], prefix = ""): string {
  const meant = nearest(typed, names);
  return meant === undefined ? "" : ` (did you mean ${prefix}${meant}?)`;
}

/** Words that are no option and no option's value. */
function positionalsOf(argv: readonly string[]): { text: string; index: number }[] {
  const { tokens } = parseArgs({
    args: [...argv],
    options: optionsFor(GLOBAL_OPTIONS),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  return tokens.flatMap((token) => (token.kind === "positional" ? [{ text: token.value, index: token.index }] : []));
}

function parse(argv: readonly string[], options: Options, name: string) {
  try {
    const parsed = parseArgs({ args: [...argv], options: optionsFor(options), strict: true, allowPositionals: true });
    return { positionals: parsed.positionals, values: parsed.values };
  } catch (error) {
    const [reason = ""] = (error as Error).message.split(/\.(?:\s|$)|\n/);
    const unknown = /^Unknown option '--([^']*)'/.exec(reason)?.[1];
    const meant = unknown === undefined ? "" : didYouMean(unknown, Object.keys(options), "--");
    throw wrongUse(`${reason}${meant}. \`${["svc", name, "--help"].filter(Boolean).join(" ")}\` lists what there is.`);
  }
}

function optionsFor(options: Options) {
  return Object.fromEntries(
    Object.entries(options).map(([name, { type, short }]) => [name, { type, ...(short && { short }) }]),
  );
}

function checkCount({ name, takes = [] }: CommandSpec, args: readonly string[]): void {
  const required = takes.filter((word) => !word.startsWith("["));
  const most = takes.some((word) => word.includes("…")) ? Infinity : takes.length;
  const usage = ["svc", name, ...takes].join(" ");
  const missing = required[args.length];
  if (missing !== undefined) throw wrongUse(`${missing.replace("…", "")} is missing: ${usage}`);
  if (args.length > most) throw wrongUse(`${JSON.stringify(args[most])} is one argument too many: ${usage}`);
}
