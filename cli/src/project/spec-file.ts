import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseDeploySpec, SPEC_FILES, SpecError, type DeploySpec } from "@svc/shared/spec/deploy-spec.ts";
import { CliError, EXIT, wrongUse } from "../cli-error.ts";

export interface SpecFile {
  /** Its name in the folder: one of SPEC_FILES. */
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

/** The spec file of a folder; undefined when there is none. @throws CliError bad_spec, wrong_use for two of them */
export async function readSpecFile(dir: string): Promise<SpecFile | undefined> {
  const texts = await Promise.all(SPEC_FILES.map((file) => readText(dir, file)));
  const found = SPEC_FILES.flatMap((file, i) => (texts[i] === undefined ? [] : [{ file, text: texts[i] }]));
  const [first, second] = found;
  if (!first) return undefined;
  if (second)
    throw wrongUse(`${dir} has ${first.file} and ${second.file}: keep one, so that it is clear which counts.`);
  return parseSpecFile(first.file, first.text);
}

async function readText(dir: string, file: string): Promise<string | undefined> {
  return readFile(join(dir, file), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw wrongUse(`${join(dir, file)} can't be read: ${error.message}.`);
  });
}
