import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const SCRIPT = fileURLToPath(new URL("../../../deploy/base-images/build.mjs", import.meta.url));

/** Builds a base image that a machine doesn't get by default, as its operator does; one that is there is kept. */
export async function buildBaseImage(name: string): Promise<void> {
  await run(process.execPath, [SCRIPT, name]);
}
