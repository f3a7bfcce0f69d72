import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { SetupError } from "../setup/terminal.mjs";
import { bundlePath, type Installation } from "./installation.ts";

/**
 * Runs an operator's command (`npm run admin -- …`) and gives its JSON.
 * @throws SetupError with the command's own sentence
 */
export async function admin(installation: Installation, args: readonly string[]): Promise<unknown> {
  const env = { ...process.env, SVC_DATA_DIR: installation.controlPlaneDirectory };
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [bundlePath("admin"), ...args, "--json"], { env });
    return JSON.parse(stdout);
  } catch (error) {
    const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : String(error);
    throw new SetupError(
      `npm run admin -- ${args.join(" ")} failed.`,
      said,
      "Remove the cause and run the command again.",
    );
  }
}
