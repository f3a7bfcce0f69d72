import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { ENV_KEY } from "@svc/shared/rules/env-key.ts";
import { readVariables } from "../api/apps.ts";
import { answerOf, done } from "../api/client.ts";
import { askSecret } from "../output/ask.ts";
import { failed, wrongUse } from "../output/cli-error.ts";
import type { Invocation } from "../command-line/command.ts";
import { formatEnvFile } from "@svc/shared/rules/env-file.ts";
import { readEnvFile } from "../project/env-file.ts";
import { openApp } from "../project/which-app.ts";

/** A sentence about the variables whose values can't be shown; empty where there are none. */
function noteOnSealed(sealed: readonly string[]): string {
  if (sealed.length === 0) return "";
  return `${sealed.join(", ")} ${sealed.length === 1 ? "is" : "are"} sealed: nobody reads the value again.`;
}

async function putEnv(invocation: Invocation, env: Record<string, string>): Promise<void> {
  const { name, service } = await openApp(invocation);
  const keys = Object.keys(env);
  const body = invocation.flags.isSet("sealed") ? { env, sealed: keys } : { env };
  const put = service.rest.PUT("/api/apps/{name}/env", { params: { path: { name } }, body });
  const { updated, note } = await answerOf(service, put);
  invocation.terminal.result({ updated, keys }, `Set ${keys.join(", ")}. ${note}`);
}

/** Keys; values only when they are asked for. */
export async function listEnv(invocation: Invocation): Promise<void> {
  const { terminal, flags } = invocation;
  const { name, service } = await openApp(invocation);
  const { env, sealed } = await readVariables(service, name);
  if (flags.isSet("values")) {
    const lines = [formatEnvFile(env).trimEnd(), noteOnSealed(sealed)].filter((text) => text !== "");
    return terminal.result(env, lines.join("\n"));
  }
  const keys = [...Object.keys(env), ...sealed].toSorted();
  const lines = keys.map((key) => (sealed.includes(key) ? `${key} (sealed)` : key));
  terminal.result(keys, keys.length === 0 ? `${name} has no variables.` : lines.join("\n"));
}

/** KEY=value words, and one KEY whose value comes from standard input: secrets stay out of the list of processes. */
export async function setEnv(invocation: Invocation): Promise<void> {
  const { args, terminal } = invocation;
  const bare = args.filter((word) => !word.includes("="));
  if (bare.length > 1) throw wrongUse(`Only one value can come from standard input, not those of ${bare.join(", ")}.`);
  for (const word of args) {
    const key = word.split("=", 1)[0]!;
    if (!ENV_KEY.test(key))
      throw wrongUse(`${JSON.stringify(key)} can't name a variable: use letters, digits and _, like GREETING=hello.`);
  }
  const env = Object.fromEntries(
    args.flatMap((word) => {
      const at = word.indexOf("=");
      return at === -1 ? [] : [[word.slice(0, at), word.slice(at + 1)]];
    }),
  );
  const [secret] = bare;
  if (secret !== undefined) {
    // One end of line is the shell's, not the value's.
    env[secret] = terminal.canAsk
      ? await askSecret(terminal, `Value of ${secret} (not shown): `)
      : (await readAll(terminal.stdin)).replace(/\r?\n$/, "");
  }
  await putEnv(invocation, env);
}

export async function unsetEnv(invocation: Invocation): Promise<void> {
  const { name, service } = await openApp(invocation);
  for (const KEY of invocation.args) {
    await done(service, service.rest.DELETE("/api/apps/{name}/env/{KEY}", { params: { path: { name, KEY } } }));
  }
  const keys = invocation.args;
  invocation.terminal.result({ unset: keys }, `Unset ${keys.join(", ")}; it applies on the next deploy.`);
}

/** Writes the variables into a file that only the user can read. */
export async function pullEnv(invocation: Invocation): Promise<void> {
  const { args, dir, flags, terminal } = invocation;
  const { name, service } = await openApp(invocation);
  const { env, sealed } = await readVariables(service, name);
  const file = args[0] ?? ".env";
  if (file === "-") return terminal.write(formatEnvFile(env));
  const flag = flags.isSet("force") ? "w" : "wx";
  await writeFile(resolve(dir, file), formatEnvFile(env), { mode: 0o600, flag }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === "EEXIST") throw wrongUse(`${file} is there already: --force replaces it.`);
      throw failed("file_unwritable", `${file} can't be written: ${error.message}.`);
    },
  );
  const keys = Object.keys(env);
  const lines = [`Wrote ${keys.length} variables to ${file}. Keep it out of git.`, noteOnSealed(sealed)];
  terminal.result({ file, keys, sealed }, lines.filter((line) => line !== "").join("\n"));
}

/** Sets all variables of a file; others stay. */
export async function pushEnv(invocation: Invocation): Promise<void> {
  const { args, dir, terminal } = invocation;
  const file = args[0] ?? ".env";
  const text =
    file === "-"
      ? await readAll(terminal.stdin)
      : await readFile(resolve(dir, file), "utf8").catch((error: Error) => {
          throw wrongUse(`${file} can't be read: ${error.message}.`);
        });
  const env = Object.fromEntries(readEnvFile(file, text));
  if (Object.keys(env).length === 0) throw wrongUse(`${file} has no variables.`);
  await putEnv(invocation, env);
}
