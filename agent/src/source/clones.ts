import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { isErrno } from "../platform/durable-file.ts";

/** Where checkouts lie, in a folder per deploy. */
export function clonesFolder(dataDirectory: string): string {
  return join(dataDirectory, "clones");
}

/** Removes, at the agent's start, what ended deploys have left; the one that holds the lock may still need its own. */
export async function removeStaleClones(dataDirectory: string, holder: string | undefined): Promise<void> {
  const folder = clonesFolder(dataDirectory);
  for (const deployId of await namesIn(folder)) {
    if (deployId !== holder) await rm(join(folder, deployId), { recursive: true, force: true, maxRetries: 3 });
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isErrno(error, "ENOENT")) return [];
    throw error;
  }
}
