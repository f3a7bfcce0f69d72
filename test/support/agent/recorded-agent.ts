import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";

const root = join(import.meta.dirname, "../../..");

/**
 * The agent of the version before, as it was built then: it knows no moves, no upgrades and no `LeaveFleet`.
 * @returns its program, in a folder from which its packages are found
 */
export async function unpackRecordedAgent(): Promise<string> {
  const folder = join(root, "dist/recorded-agent");
  await mkdir(folder, { recursive: true });
  for (const name of ["agent.mjs", "name-server.mjs"]) {
    const recorded = readFileSync(join(import.meta.dirname, "recorded", `${name}.br`));
    await writeFile(join(folder, name), brotliDecompressSync(recorded));
  }
  return join(folder, "agent.mjs");
}
