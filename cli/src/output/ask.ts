import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { wrongUse } from "./cli-error.ts";
import type { Terminal } from "./terminal.ts";

/** A line that the user types. @throws CliError wrong_use when there is none */
export function askLine(terminal: Terminal, question: string): Promise<string> {
  return ask(terminal, question, true);
}

/** A line that is not shown as it is typed. @throws CliError wrong_use when there is none */
export function askSecret(terminal: Terminal, question: string): Promise<string> {
  return ask(terminal, question, false);
}

async function ask(terminal: Terminal, question: string, echo: boolean): Promise<string> {
  const output = new Writable({
    write(chunk: Buffer, _encoding, callback) {
      if (echo) terminal.prompt(chunk.toString("utf8"));
      callback();
    },
  });
  // With terminal: true the line editor takes over the echo of the terminal, and this output shows what it wants to.
  const lines = createInterface({ input: terminal.stdin, output, terminal: true });
  try {
    if (!echo) terminal.prompt(question);
    const left = new Promise<never>((_resolve, reject) => {
      for (const event of ["close", "SIGINT"] as const) {
        lines.once(event, () => reject(wrongUse("The question was not answered.")));
      }
    });
    const answer = await Promise.race([lines.question(echo ? question : ""), left]);
    if (!echo) terminal.note("");
    return answer.trim();
  } finally {
    lines.close();
  }
}
