/** Words that begin something larger than a command; `trap` says that the shell is to stay. */
export const COMPOUND: ReadonlySet<string> = new Set(
  "if then elif else fi for while until do done case esac in ! { } [[ function select time coproc trap".split(" "),
);
/** Commands that only the shell itself can run. */
export const BUILTINS: ReadonlySet<string> = new Set(
  `. : alias bg break cd command continue eval exit export fc fg getopts hash jobs local read readonly return set shift
  source times type ulimit umask unalias unset wait`.split(/\s+/),
);
const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*=/;

interface Word {
  start: number;
  text: string;
}
/** Words between two operators, and the operator that follows; "" at the end. */
interface Command {
  words: Word[];
  operator: string;
}

/**
 * The line with `exec` in front of its last command, which so takes the shell's place: the signal to stop then reaches
 * the app, and not a shell that would end without it. `a && A=1 b` becomes `a && A=1 exec b`, and does the same.
 *
 * @param line for /bin/sh
 * @returns undefined when the shell has to stay (a pipeline, a compound command), or only a shell can tell
 */
export function execInPlace(line: string): string | undefined {
  const commands = commandsOf(line)?.filter(({ words, operator }) => words.length > 0 || operator === "&");
  const last = commands?.at(-1);
  if (!commands || !last || last.operator === "&" || commands.at(-2)?.operator === "|") return undefined;
  const programs = commands.map(({ words }) => words.find(({ text }) => !ASSIGNMENT.test(text)));
  if (programs.some((word) => word !== undefined && COMPOUND.has(word.text))) return undefined;
  const program = programs.at(-1);
  // A redirection in front, `>log node x`, would be taken for the program.
  if (program === undefined || BUILTINS.has(program.text) || /^\d*[<>]/.test(program.text)) return undefined;
  if (program.text === "exec") return line;
  return `${line.slice(0, program.start)}exec ${line.slice(program.start)}`;
}

/** undefined for what has other shells inside, or a text of several lines as one word. */
function commandsOf(line: string): Command[] | undefined {
  const commands: Command[] = [];
  let words: Word[] = [];
  let at = 0;
  while (at < line.length) {
    const rest = line.slice(at);
    const [operator] = /^(?:&&|\|\||[;&|\n])/.exec(rest) ?? [];
    const [space] = /^(?:[ \t]|\\\n)+/.exec(rest) ?? [];
    const [word] = WORD.exec(rest) ?? [];
    if (space !== undefined) {
      at += space.length;
    } else if (operator !== undefined) {
      commands.push({ words, operator });
      words = [];
      at += operator.length;
    } else if (word === undefined || /^#|<<|`|\$\(/.test(word)) {
      return undefined;
    } else {
      words.push({ start: at, text: word });
      at += word.length;
    }
  }
  return [...commands, { words, operator: "" }];
}

/** Quoted parts, escaped characters, redirections with their `&`, and all else that ends no word. */
const WORD = /^(?:'[^']*'|"(?:[^"\\]|\\[^])*"|\\[^]|[<>]&|&>|[^\s'"\\;&|()])+/;
