import "../runtime/node-20.ts";
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { CliError, EXIT, wrongUse } from "../output/cli-error.ts";
import type { Flags } from "../command-line/command.ts";
import { COMMANDS } from "./command-table.ts";
import { commandHelp, groupHelp, overview } from "../command-line/help.ts";
import { parseCommandLine, type CommandLine } from "../command-line/parse-command-line.ts";
import { Terminal } from "../output/terminal.ts";

/** Runs one command; everything that it throws becomes a sentence and an exit status. */
export async function runCommandLine(argv: readonly string[]): Promise<number> {
  // A reader such as `head` closes the pipe when it has read enough.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
  const { env, stdin, stdout, stderr } = process;
  let terminal = new Terminal({ stdin, stdout, stderr, env, json: argv.includes("--json") });
  try {
    const line = parseCommandLine(argv, COMMANDS);
    terminal = new Terminal({ stdin, stdout, stderr, env, json: line.flags.isSet("json") });
    if (!line.command || line.flags.isSet("help")) {
      terminal.write(`${helpOf(line)}\n`);
      return EXIT.success;
    }
    const { args, flags } = line;
    const run = await line.command.load();
    return (await run({ args, flags, env, dir: workingFolder(flags), terminal, commands: COMMANDS })) ?? EXIT.success;
  } catch (error) {
    return report(error, terminal);
  }
}

function helpOf({ command, group }: CommandLine): string {
  if (command) return commandHelp(command);
  return group === undefined ? overview(COMMANDS) : groupHelp(group, COMMANDS);
}

/** `npm run` works in the package's folder, and says in INIT_CWD where it was called from. @throws CliError wrong_use */
function workingFolder(flags: Flags): string {
  const from = process.env["npm_lifecycle_event"] === "svc" ? process.env["INIT_CWD"] : undefined;
  const dir = resolve(from ?? process.cwd(), flags.text("dir") ?? ".");
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return dir;
  throw wrongUse(`${dir} is no folder: check --dir.`);
}

function report(error: unknown, terminal: Terminal): number {
  if (!(error instanceof CliError)) {
    terminal.note(`svc has a defect: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    return EXIT.failed;
  }
  const { code, message, exit, fields } = error;
  if (terminal.json) {
    const time = new Date().toISOString();
    terminal.write(`${JSON.stringify({ type: "error", time, code, message, exit, ...fields })}\n`);
  } else {
    terminal.note(code === "bad_spec" ? message : `Error: ${message}`);
  }
  return exit;
}
