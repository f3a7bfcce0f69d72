import { randomUUID } from "node:crypto";
import { link, open, readFile, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { syncDirectory } from "@svc/shared/platform/sync-directory.ts";

/**
 * Reads a file that is made once and never changed; makes it when it is missing. Of several processes that make it at
 * the same time one wins, and all get the winner's text: `link` refuses an existing name, and the file has its whole
 * content before it has its name.
 */
export async function claimFile(path: string, mode: number, make: () => Promise<string>): Promise<string> {
  const existing = await readFile(path, "utf8").catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  });
  if (existing !== undefined) return existing;

  const draft = `${path}.${randomUUID()}`;
  const content = await make();
  const file = await open(draft, "wx", mode);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    await link(draft, path);
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  } finally {
    await unlink(draft);
  }
  // Also after another process's link: what follows from this file must not outlive it.
  await syncDirectory(dirname(path));
  return readFile(path, "utf8");
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
