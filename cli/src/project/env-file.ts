import { EnvFileError, parseEnvFile } from "@svc/shared/rules/env-file.ts";
import { wrongUse } from "../output/cli-error.ts";

/**
 * Variables of a `.env` file that a person has named.
 * @throws CliError wrong_use with file and line
 */
export function readEnvFile(file: string, text: string): Map<string, string> {
  try {
    return parseEnvFile(file, text);
  } catch (error) {
    throw error instanceof EnvFileError ? wrongUse(error.message) : error;
  }
}
