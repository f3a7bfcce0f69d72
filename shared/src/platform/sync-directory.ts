import { open } from "node:fs/promises";

/** A rename or a new name is durable only once its directory is. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
