import type { Terminal } from "../output/terminal.ts";

/** An option of a command, as node:util's parseArgs takes it, with its help. */
export interface OptionSpec {
  type: "boolean" | "string";
  short?: string;
  /** The word for the value in the help; options of type string have one. */
  value?: string;
  help: string;
}

export type Options = Readonly<Record<string, OptionSpec>>;

/** A row of the table of commands: everything that parsing, help and completion need, without the command's code. */
export interface CommandSpec {
  /** The words after `svc`: "up", "env set". */
  name: string;
  /** Positional arguments as the help shows them: "KEY", "[APP]" when it may be left out, "KEY…" for one or more. */
  takes?: readonly string[];
  summary: string;
  /** This is more than a line, for the command's own help. */
  details?: string;
  options?: Options;
  /** Loaded when the command runs, so that no other one's code delays it. */
  load(): Promise<(invocation: Invocation) => Promise<number | void>>;
}

/** A command as the user called it. */
export interface Invocation {
  args: readonly string[];
  flags: Flags;
  env: Readonly<Record<string, string | undefined>>;
  /** Where it works: --dir, else where it was called from. */
  dir: string;
  terminal: Terminal;
  /** All that there are, for completion. */
  commands: readonly CommandSpec[];
}

/** The options that were given. */
export class Flags {
  readonly #values: Readonly<Record<string, string | boolean | undefined>>;

  constructor(values: Readonly<Record<string, string | boolean | undefined>>) {
    this.#values = values;
  }

  text(name: string): string | undefined {
    const value = this.#values[name];
    return typeof value === "string" ? value : undefined;
  }

  isSet(name: string): boolean {
    return this.#values[name] === true;
  }
}
