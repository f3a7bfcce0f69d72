import { BUILTINS, COMPOUND, execInPlace } from "./exec-in-place.ts";

/** How a container is started: words that are executed as they are, or a line for a shell. */
export type StartCommand = { form: "exec"; words: readonly string[] } | { form: "shell"; line: string };

/** Everything that makes a line more than words: quotes that stay open, expansions, pipes, lists, redirections, globs. */
const SHELL_SYNTAX = /[|&;<>()$`*?[\]{}~#!\n]/;
const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*=/;

/**
 * A `start` of the spec file: leading assignments (`NODE_ENV=production node app.js`), or shell operators, make it shell
 * form; flags such as `--host=0.0.0.0` stay in exec form.
 * Quotes and backslashes group words as in a shell.
 */
export function parseStartCommand(text: string): StartCommand {
  const line = text.trim();
  if (ASSIGNMENT.test(line)) return { form: "shell", line };
  const words = splitWords(withoutExec(line));
  return words === undefined || isOfShell(words) ? { form: "shell", line } : { form: "exec", words };
}

/** Without a shell there is nothing to replace: `exec node app.js` is `node app.js`. Options of exec are the shell's. */
function withoutExec(line: string): string {
  return line.replace(/^exec\s+(?=[^\s-])/, "");
}

/** No program: `cd web`, `source env.sh`, `if`; empty words are for the rules to refuse. */
function isOfShell([first = ""]: readonly string[]): boolean {
  return first === "exec" || BUILTINS.has(first) || COMPOUND.has(first);
}

/**
 * Returns the command that is executed, word by word. A shell gives its place to the line's last command wherever that
 * can be told.
 */
export function commandWords(start: StartCommand): readonly string[] {
  return start.form === "exec" ? start.words : ["/bin/sh", "-c", execInPlace(start.line) ?? start.line];
}

/** Whether a shell stays between the signal to stop and the app; it then ends, and the app with it, at once. */
export function keepsShell(start: StartCommand): boolean {
  return start.form === "shell" && execInPlace(start.line) === undefined;
}

/** The last instruction of a Dockerfile. */
export function cmdInstruction(start: StartCommand): string {
  return `CMD ${JSON.stringify(commandWords(start))}`;
}

/** undefined when only a shell can tell what the words are. */
function splitWords(line: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  for (let index = 0; index < line.length; index += 1) {
    const character = line[index]!;
    if (character === "'" || character === '"') {
      const end = line.indexOf(character, index + 1);
      if (end === -1) return undefined;
      const quoted = line.slice(index + 1, end);
      if (character === '"' && /[$`\\]/.test(quoted)) return undefined;
      word = (word ?? "") + quoted;
      index = end;
    } else if (character === "\\") {
      index += 1;
      if (index === line.length) return undefined;
      word = (word ?? "") + line[index]!;
    } else if (/\s/.test(character)) {
      if (character === "\n") return undefined;
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (SHELL_SYNTAX.test(character)) {
      return undefined;
    } else {
      word = (word ?? "") + character;
    }
  }
  if (word !== undefined) words.push(word);
  return words;
}
