import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { failed } from "../cli-error.ts";

/** What `svc login` remembers: keys by the service's address, and which of these is used. */
export interface StoredCredentials {
  current: string | undefined;
  keys: Readonly<Record<string, string>>;
}

type Env = Readonly<Record<string, string | undefined>>;

/** `~/.config/svc/credentials.json` (decisions, Command-line tool), or below XDG_CONFIG_HOME. */
export function credentialsFile(env: Env): string {
  const base = env["XDG_CONFIG_HOME"] || join(env["HOME"] || homedir(), ".config");
  return join(base, "svc", "credentials.json");
}

/** @throws CliError when the file is there and can't be used */
export async function readCredentials(env: Env): Promise<StoredCredentials> {
  const file = credentialsFile(env);
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw failed("credentials_unreadable", `${file} can't be read: ${error.message}.`);
  });
  if (text === undefined) return { current: undefined, keys: {} };
  const stored = parse(text);
  if (!stored)
    throw failed("credentials_unreadable", `${file} is not what svc wrote there: delete it, then svc login.`);
  return stored;
}

/** Readable by the user alone, and whole at every moment. */
export async function writeCredentials(env: Env, credentials: StoredCredentials): Promise<void> {
  const file = credentialsFile(env);
  const staging = `${file}.${process.pid}`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(staging, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600, flag: "wx" });
    await rename(staging, file);
  } catch (error) {
    await rm(staging, { force: true });
    throw failed("credentials_unwritable", `The key can't be stored: ${(error as Error).message}.`);
  }
}

function parse(text: string): StoredCredentials | undefined {
  try {
    const { current, keys } = JSON.parse(text) as { current?: unknown; keys?: unknown };
    if (typeof keys !== "object" || keys === null) return undefined;
    if (current !== undefined && typeof current !== "string") return undefined;
    const entries = Object.entries(keys).filter((entry): entry is [string, string] => typeof entry[1] === "string");
    return { current, keys: Object.fromEntries(entries) };
  } catch {
    return undefined;
  }
}
