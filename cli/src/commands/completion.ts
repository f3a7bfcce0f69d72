import { wrongUse } from "../output/cli-error.ts";
import type { CommandSpec, Invocation, Options } from "../command-line/command.ts";
import { groups } from "../command-line/help.ts";
import { GLOBAL_OPTIONS } from "../command-line/parse-command-line.ts";

/** A completion that a shell offers after a word. */
interface Entry {
  word: string;
  summary: string;
  /** Second words, such as `set` after `env`. */
  second: readonly { word: string; summary: string }[];
  options: readonly string[];
}

const SHELLS = { bash, zsh, fish } as const;

/** Prints what the shell needs to complete commands and options. */
export async function completion({ args, commands, terminal }: Invocation): Promise<void> {
  const [shell = ""] = args;
  if (!Object.hasOwn(SHELLS, shell)) throw wrongUse(`${JSON.stringify(shell)} is not bash, zsh or fish.`);
  terminal.write(SHELLS[shell as keyof typeof SHELLS](entriesOf(commands)));
}

function entriesOf(commands: readonly CommandSpec[]): Entry[] {
  return [...groups(commands)].map(([word, group]) => ({
    word,
    summary: group[0]!.summary,
    second: group.flatMap(({ name, summary }) => {
      const [, second] = name.split(" ");
      return second === undefined ? [] : [{ word: second, summary }];
    }),
    options: optionNames(Object.assign({}, GLOBAL_OPTIONS, ...group.map(({ options }) => options)) as Options),
  }));
}

function optionNames(options: Options): string[] {
  return Object.keys(options).map((name) => `--${name}`);
}

function bash(entries: readonly Entry[]): string {
  const cases = entries.map(
    ({ word, second, options }) =>
      `    ${word}) words="${[...second.map((one) => one.word), ...options].join(" ")}" ;;`,
  );
  return `_svc() {
  local words="${[...entries.map(({ word }) => word), "--help", "--version"].join(" ")}"
  case "\${COMP_CWORD}:\${COMP_WORDS[1]}" in
    1:*) ;;
    *) case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _svc svc
`;
}

function zsh(entries: readonly Entry[]): string {
  const described = entries.map(({ word, summary }) => `    '${word}:${quoted(summary)}'`);
  const cases = entries.map(
    ({ word, second, options }) =>
      `    ${word}) compadd -- ${[...second.map((one) => one.word), ...options].join(" ")} ;;`,
  );
  return `#compdef svc
_svc() {
  local -a commands=(
${described.join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case "\${words[2]}" in
${cases.join("\n")}
  esac
  _files
}
compdef _svc svc
`;
}

function fish(entries: readonly Entry[]): string {
  const lines = entries.flatMap(({ word, summary, second, options }) => [
    `complete -c svc -n __fish_use_subcommand -a ${word} -d '${quoted(summary)}'`,
    ...second.map(
      (one) => `complete -c svc -n '__fish_seen_subcommand_from ${word}' -a ${one.word} -d '${quoted(one.summary)}'`,
    ),
    ...options.map((option) => `complete -c svc -n '__fish_seen_subcommand_from ${word}' -l ${option.slice(2)}`),
  ]);
  return `${lines.join("\n")}\n`;
}

/** Inside of single quotes. */
function quoted(text: string): string {
  return text.replaceAll(/['\\]/g, "").replaceAll(":", ",");
}
