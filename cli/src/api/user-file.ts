import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { isRecord, jsonOrUndefined } from "@svc/shared/json.ts";
import { failed } from "../output/cli-error.ts";

/** A file that svc keeps for its user: below `~/.config/svc` or XDG_CONFIG_HOME. */
export interface UserFile<T> {
  path: string;
  /** The content when there is no file. */
  empty: T;
  /** Is undefined for JSON that svc did not write. */
  parse(json: unknown): T | undefined;
  /** Advice about a file that svc did not write. */
  remedy: string;
}

export function userFilePath(env: Readonly<Record<string, string | undefined>>, name: string): string {
  const base = env["XDG_CONFIG_HOME"] || join(env["HOME"] || homedir(), ".config");
  return join(base, "svc", name);
}

/** @throws CliError file_unreadable when the file is there and can't be used */
export async function readUserFile<T>({ path, empty, parse, remedy }: UserFile<T>): Promise<T> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw failed("file_unreadable", `${path} can't be read: ${error.message}.`);
  });
  if (text === undefined) return empty;
  const value = parse(jsonOrUndefined(text));
  if (value === undefined) throw failed("file_unreadable", `${path} is not what svc wrote there: ${remedy}.`);
  return value;
}

/** Readable by the user alone, and whole at every moment. @throws CliError file_unwritable */
export async function writeUserFile<T>({ path }: Pick<UserFile<T>, "path">, value: T): Promise<void> {
  const staging = `${path}.${process.pid}`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(staging, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flag: "wx" });
    await rename(staging, path);
  } catch (error) {
    await rm(staging, { force: true });
    throw failed("file_unwritable", `${path} can't be written: ${(error as Error).message}.`);
  }
}

/** The entries of an object whose values are texts; undefined for anything else. */
export function textsByKey(json: unknown): Record<string, string> | undefined {
  if (!isRecord(json)) return undefined;
  return Object.fromEntries(
    Object.entries(json).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}
