import { randomBytes } from "node:crypto";
import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { chown, link, mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { SvcError } from "@svc/shared/errors.ts";
import { syncDirectory } from "@svc/shared/platform/sync-directory.ts";
import { KEY_BYTES } from "./keyring.ts";

/**
 * The keys of the file, newest first; undefined when there is no such file. Small and local, so that it is read at once.
 * @throws SvcError when others may read it, or a line is not a key
 */
export function readMasterKeys(file: string): Buffer[] | undefined {
  const descriptor = openIfPresent(file);
  if (descriptor === undefined) return undefined;
  try {
    const { mode } = fstatSync(descriptor);
    if ((mode & 0o077) !== 0) {
      const octal = (mode & 0o777).toString(8).padStart(4, "0");
      throw new SvcError(
        "internal",
        `The master key file ${file} has mode ${octal}, so others can read it. Run: chmod 600 ${file}`,
      );
    }
    const lines = readFileSync(descriptor, "utf8")
      .split("\n")
      .map((line) => line.trim());
    const keys = lines.filter(Boolean).map((line, index) => parseKey(line, index, file));
    if (keys.length === 0)
      throw new SvcError("internal", `The master key file ${file} is empty. Restore it from a backup.`);
    return keys;
  } finally {
    closeSync(descriptor);
  }
}

function openIfPresent(file: string): number | undefined {
  try {
    return openSync(file, "r");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw new SvcError("internal", `The master key file ${file} can't be read (${code}).`, { cause: error });
  }
}

/** The line is never quoted: it may be a key with a typing error in it. */
function parseKey(line: string, index: number, file: string): Buffer {
  const key = Buffer.from(line, "base64");
  if (key.length === KEY_BYTES && key.toString("base64").replace(/=+$/, "") === line.replace(/=+$/, "")) return key;
  throw new SvcError("internal", `Key ${index + 1} in ${file} is not ${KEY_BYTES} bytes in base64, one key a line.`);
}

export function makeMasterKey(): Buffer {
  return randomBytes(KEY_BYTES);
}

/** Makes the file with one fresh key, unless another process was faster: then that one's keys hold for both. */
export async function createMasterKeyFile(file: string): Promise<Buffer[]> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const fresh = await writeBeside(file, [makeMasterKey()]);
  try {
    // A link is made only where nothing has the name, and the file is complete by then.
    await link(fresh, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  } finally {
    await rm(fresh, { force: true });
  }
  // Before anything is sealed with the key: without it that would be lost.
  await syncDirectory(dirname(file));
  return readMasterKeys(file) ?? [];
}

/**
 * Puts these keys in the place of the file's, newest first; whoever reads it sees the former file or the new one, whole.
 * @throws SvcError when the file can't be replaced
 */
export async function replaceMasterKeys(file: string, keys: readonly Buffer[]): Promise<void> {
  let fresh: string | undefined;
  try {
    const { uid, gid } = await stat(file);
    fresh = await writeBeside(file, keys);
    // An operator who is root must not take the file away from the control plane's user.
    await chown(fresh, uid, gid);
    await rename(fresh, file);
    // Values are sealed with a new key only after the power can fail without losing it.
    await syncDirectory(dirname(file));
  } catch (cause) {
    if (fresh !== undefined) await rm(fresh, { force: true });
    const { code } = cause as NodeJS.ErrnoException;
    throw new SvcError(
      "internal",
      `The master key file ${file} can't be replaced (${code}). Run this as the user that owns it, where its folder can be written.`,
      { cause },
    );
  }
}

async function writeBeside(file: string, keys: readonly Buffer[]): Promise<string> {
  const fresh = `${file}.${randomBytes(6).toString("hex")}`;
  const text = keys.map((key) => `${key.toString("base64")}\n`).join("");
  await writeFile(fresh, text, { mode: 0o600, flag: "wx", flush: true });
  return fresh;
}
