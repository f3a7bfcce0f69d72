import { openService, type Service } from "../api/client.ts";
import { wrongUse } from "../output/cli-error.ts";
import type { Invocation } from "../command-line/command.ts";
import { linkedApp } from "./link.ts";
import { readSpecFile } from "./spec-file.ts";

/**
 * The app that a command is about: `--app`, else the name in the spec file, else the one that the folder is linked to.
 * @throws CliError wrong_use, bad_spec
 */
export async function whichApp(invocation: Pick<Invocation, "flags" | "dir" | "env">): Promise<string> {
  const { flags, dir } = invocation;
  const name = flags.text("app") ?? readSpecFile(dir)?.spec.name ?? (await linkedApp(invocation));
  if (name !== undefined) return name;
  throw wrongUse(
    `Which app? ${dir} has no spec file that names one: give --app NAME, or have \`svc link\` remember it for this folder.`,
  );
}

/** The app that a command is about, and the service that has it. @throws CliError */
export async function openApp(invocation: Invocation): Promise<{ name: string; service: Service }> {
  const name = await whichApp(invocation);
  return { name, service: await openService(invocation) };
}
