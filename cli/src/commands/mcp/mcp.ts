import { findAccess } from "../../api/access.ts";
import { linesOf } from "../../api/event-stream.ts";
import type { Invocation } from "../../command-line/command.ts";
import { Bridge } from "./bridge.ts";

/**
 * Serves the service's tools to an assistant that starts this as a process: standard output holds messages of the Model Context
 * Protocol and nothing else. Ends when standard input does.
 */
export async function mcp(invocation: Invocation): Promise<void> {
  const { terminal } = invocation;
  const access = () => findAccess(invocation);
  // An assistant shows why its server ended, and not what each of its calls was answered.
  await access();
  if (terminal.stdin.isTTY) terminal.note("An assistant starts this command, and talks to it. Ctrl-C ends it.");
  const bridge = new Bridge({
    access,
    write: (message) => terminal.write(`${message}\n`),
    note: (text) => terminal.note(text),
  });
  for await (const line of linesOf(terminal.stdin)) bridge.take(line);
  await bridge.close();
}
