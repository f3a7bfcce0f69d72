import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** Makes the directory, if need be, and removes its oldest files until at most `keep` are left. */
export async function pruneOldest(directory: string, keep: number): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const names = await readdir(directory);
  if (names.length <= keep) return;
  const files = await Promise.all(
    names.map(async (name) => ({ name, changedMs: (await stat(join(directory, name))).mtimeMs })),
  );
  const oldest = files.toSorted((a, b) => a.changedMs - b.changedMs).slice(0, files.length - keep);
  for (const { name } of oldest) await rm(join(directory, name), { force: true });
}
