import type { FileTree } from "./framework.ts";

/** The processes of an app as Heroku's file of that name has them: `web: bundle exec puma`. */
export interface Procfile {
  /** The command that answers requests. */
  web: string | undefined;
  /** Names of the other processes. */
  others: readonly string[];
}

const LINE = /^([\w-]{1,64}):[ \t]*(\S.*)$/;

export function readProcfile(files: FileTree): Procfile {
  const lines = (files.read("Procfile") ?? "").split(/\r?\n/).flatMap((line) => {
    const [, name, command] = LINE.exec(line.trimEnd()) ?? [];
    return name === undefined ? [] : [{ name, command: command! }];
  });
  return {
    web: lines.find(({ name }) => name === "web")?.command,
    others: [...new Set(lines.map(({ name }) => name).filter((name) => name !== "web"))],
  };
}

/** What the user should know of a Procfile that is used, a sentence each. */
export function procfileNotes({ others }: Procfile): string[] {
  const started = "The app is started by the `web` line of the Procfile.";
  if (others.length === 0) return [started];
  return [started, `Of the Procfile nothing else is run: ${others.slice(0, NAMED_MAX).join(", ")}.`];
}

/** As many as a person compares. */
const NAMED_MAX = 10;
