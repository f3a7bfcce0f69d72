import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { SvcError } from "@svc/shared/errors.ts";
import { ROOT_RULE, rootFolder } from "@svc/shared/rules/root-folder.ts";
import { chooseAppFolder, type AppFolder } from "@svc/shared/spec/app-folder.ts";
import { parseDeploySpec, SPEC_FILES, SpecError, type DeploySpec } from "@svc/shared/spec/deploy-spec.ts";
import { CliError, EXIT, wrongUse } from "../output/cli-error.ts";
import type { Invocation } from "../command-line/command.ts";

export interface SpecFile {
  /** Its path in the folder that the command works in. */
  file: string;
  spec: DeploySpec;
}

/** @throws CliError bad_spec, a line for each mistake: file:line:column: path: message */
export function parseSpecFile(file: string, text: string): SpecFile {
  try {
    return { file, spec: parseDeploySpec(file, text) };
  } catch (error) {
    if (!(error instanceof SpecError)) throw error;
    throw new CliError("bad_spec", error.message, EXIT.usage, { file: error.file, problems: error.problems });
  }
}

/**
 * The spec file of a folder; undefined when there is none.
 * @throws CliError bad_spec, a line for each mistake: file:line:column: path: message
 */
export function readSpecFile(dir: string, folder = ""): SpecFile | undefined {
  const found = SPEC_FILES.map((name) => posix.join(folder, name)).flatMap((file) => {
    const text = readText(dir, file);
    return text === undefined ? [] : [{ file, text }];
  });
  const [first, second] = found;
  if (!first) return undefined;
  if (second)
    throw wrongUse(`${dir} has ${first.file} and ${second.file}: keep one, so that it is clear which counts.`);
  return parseSpecFile(first.file, first.text);
}

/** The folder that `--root` names; undefined where it is the one of the spec file, or the top. @throws CliError wrong_use */
export function givenRoot({ flags }: Pick<Invocation, "flags">): string | undefined {
  const text = flags.text("root");
  if (text === undefined) return undefined;
  const root = rootFolder(text);
  if (root === undefined) throw wrongUse(`--root is ${JSON.stringify(text)}; allowed is ${ROOT_RULE}.`);
  return root === "" ? undefined : root;
}

/**
 * Which part of the folder is the app, and which spec file counts for it.
 * @throws CliError wrong_use, bad_spec
 */
export function findAppFolder({ dir, flags }: Pick<Invocation, "dir" | "flags">): AppFolder<SpecFile> {
  try {
    return chooseAppFolder((folder) => readSpecFile(dir, folder), givenRoot({ flags }));
  } catch (error) {
    if (error instanceof SvcError) throw wrongUse(error.message);
    throw error;
  }
}

function readText(dir: string, file: string): string | undefined {
  try {
    return readFileSync(join(dir, file), "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw wrongUse(`${join(dir, file)} can't be read: ${message}.`);
  }
}
