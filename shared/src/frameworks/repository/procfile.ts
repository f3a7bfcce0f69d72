import { SvcError } from "../../errors.ts";
import { COMMAND, COMMAND_LENGTH_MAX } from "../../spec/schema.ts";
import { parseStartCommand, type StartCommand } from "../../spec/start-command.ts";
import type { FileTree } from "./file-tree.ts";

const FILE = "Procfile";

/** A process type and its command: `web: gunicorn app:app`. Heroku's own pattern; other lines mean nothing. */
const LINE = /^([A-Za-z0-9_-]+):[ \t]*(\S.*)$/;

/**
 * The command of the Procfile's `web` line, which a shell runs, so that `$PORT` is known in it; undefined when there is none.
 * @throws SvcError invalid_request when no process can be started with it
 */
export function procfileStart(files: FileTree): StartCommand | undefined {
  const line = processes(files).find(([type]) => type === "web")?.[1];
  if (line === undefined) return undefined;
  if (line.length > COMMAND_LENGTH_MAX) {
    throw unusable(`has ${line.length} characters; at most ${COMMAND_LENGTH_MAX} are allowed. Put it into a script.`);
  }
  if (!COMMAND.test(line)) throw unusable("holds a control character. Remove it.");
  return parseStartCommand(line);
}

function unusable(problem: string): SvcError {
  return new SvcError("invalid_request", `The \`web\` line of the Procfile ${problem}`);
}

/** Process types that have no container: only `web` is run. */
export function processesNotRun(files: FileTree): string[] {
  return [...new Set(processes(files).map(([type]) => type))].filter((type) => type !== "web");
}

function processes(files: FileTree): [type: string, command: string][] {
  const text = files.read(FILE)?.slice(0, TEXT_CHARACTERS_MAX) ?? "";
  return text.split(/\r?\n/).flatMap((line): [string, string][] => {
    const [, type, command] = LINE.exec(line.trimEnd()) ?? [];
    return type === undefined ? [] : [[type, command!]];
  });
}

/** A person's Procfile has some ten lines. */
const TEXT_CHARACTERS_MAX = 64 * 1024;
