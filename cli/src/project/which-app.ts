import { wrongUse } from "../cli-error.ts";
import type { Invocation } from "../command.ts";
import { readSpecFile } from "./spec-file.ts";

/** The app that a command is about: `--app`, else the name in the spec file. @throws CliError wrong_use, bad_spec */
export async function whichApp({ flags, dir }: Pick<Invocation, "flags" | "dir">): Promise<string> {
  const name = flags.text("app") ?? readSpecFile(dir)?.spec.name;
  if (name !== undefined) return name;
  throw wrongUse(`Which app? ${dir} has no spec file that names one: give --app NAME.`);
}
