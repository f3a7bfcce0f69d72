import { randomBytes } from "node:crypto";
import { link, mkdir, open, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { SvcError } from "@svc/shared/errors.ts";
import { syncDirectory } from "@svc/shared/sync-directory.ts";
import { KEY_BYTES } from "./keyring.ts";

/**
 * The keys of the file, newest first; undefined when there is no such file.
 * @throws SvcError when others may read it, or a line is not a key
 */
export async function readMasterKeys(file: string): Promise<Buffer[] | undefined> {
  const handle = await open(file, "r").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw new SvcError("internal", `The master key file ${file} can't be read (${error.code}).`, { cause: error });
  });
  if (!handle) return undefined;
  try {
    const { mode } = await handle.stat();
    if ((mode & 0o077) !== 0) {
      const octal = (mode & 0o777).toString(8).padStart(4, "0");
      throw new SvcError(
        "internal",
        `The master key file ${file} has mode ${octal}, so others can read it. Run: chmod 600 ${file}`,
      );
    }
    const lines = (await handle.readFile("utf8")).split("\n").map((line) => line.trim());
    const keys = lines.filter(Boolean).map((line, index) => parseKey(line, index, file));
    if (keys.length === 0)
      throw new SvcError("internal", `The master key file ${file} is empty. Restore it from a backup.`);
    return keys;
  } finally {
    await handle.close();
  }
}

/** The line is never quoted: it may be a key with a typing error in it. */
function parseKey(line: string, index: number, file: string): Buffer {
  const key = Buffer.from(line, "base64");
  if (key.length === KEY_BYTES && key.toString("base64").replace(/=+$/, "") === line.replace(/=+$/, "")) return key;
  throw new SvcError("internal", `Key ${index + 1} in ${file} is not ${KEY_BYTES} bytes in base64, one key a line.`);
}

/** Makes the file with one fresh key, unless another process was faster: then that one's keys hold for both. */
export async function createMasterKeyFile(file: string): Promise<Buffer[]> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const fresh = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    await writeFile(fresh, `${randomBytes(KEY_BYTES).toString("base64")}\n`, { mode: 0o600, flag: "wx", flush: true });
    // A link is made only where nothing has the name, and the file is complete by then.
    await link(fresh, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  } finally {
    await rm(fresh, { force: true });
  }
  // Before anything is sealed with the key: without it that would be lost.
  await syncDirectory(dirname(file));
  return (await readMasterKeys(file)) ?? [];
}
