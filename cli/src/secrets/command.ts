import { spawn } from "node:child_process";
import { isRecord, jsonOrUndefined } from "@svc/shared/json.ts";
import { failed, wrongUse } from "../output/cli-error.ts";
import type { SecretsProvider } from "./provider.ts";

/** 64 values of 8 KiB, escaped, and room. */
const OUTPUT_BYTES_MAX = 4 * 1024 * 1024;
/** A person may have to confirm on a phone. */
const MS_MAX = 120_000;

/**
 * Any secrets manager with a command: it gets the names of the keys on standard input, a line each, and answers with a
 * JSON object of those that it has. It is run without a shell.
 * @param command words separated by spaces
 */
export function commandProvider(command: string, dir: string): SecretsProvider {
  const [program, ...argv] = command.split(/\s+/).filter((word) => word !== "");
  if (program === undefined) throw wrongUse("SVC_SECRETS_COMMAND is empty: give a program and its arguments.");
  const name = `the command ${program}`;
  return {
    name,
    async read(keys) {
      const values = parse(name, await run(name, [program, ...argv], dir, keys.map((key) => `${key}\n`).join("")));
      return new Map(keys.flatMap((key) => (Object.hasOwn(values, key) ? [[key, values[key]!] as const] : [])));
    },
  };
}

function run(name: string, [program, ...argv]: [string, ...string[]], cwd: string, stdin: string): Promise<string> {
  return new Promise((resolve, reject) => {
    // The program's words for the user go straight to the terminal.
    const child = spawn(program, argv, { cwd, stdio: ["pipe", "pipe", "inherit"] });
    const timer = setTimeout(() => child.kill("SIGKILL"), MS_MAX);
    const chunks: Buffer[] = [];
    let length = 0;
    child.stdout.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > OUTPUT_BYTES_MAX) child.kill("SIGKILL");
      else chunks.push(chunk);
    });
    child.stdin.on("error", () => undefined);
    child.stdin.end(stdin);
    child.once("error", (error) => {
      clearTimeout(timer);
      reject(failed("secrets_failed", `${name} can't be run: ${error.message}.`));
    });
    child.once("close", (status, signal) => {
      clearTimeout(timer);
      if (status === 0) return resolve(Buffer.concat(chunks).toString("utf8"));
      const end = status === null ? `was ended by ${signal}` : `ended with ${status}`;
      reject(failed("secrets_failed", `${name} ${end}, so the values of the variables are not known.`));
    });
  });
}

function parse(name: string, text: string): Readonly<Record<string, string>> {
  const wrong = failed("secrets_failed", `${name} must answer with one JSON object of texts, {"KEY": "value"}.`);
  const values = jsonOrUndefined(text);
  if (!isRecord(values) || Object.values(values).some((value) => typeof value !== "string")) throw wrong;
  return values as Record<string, string>;
}
