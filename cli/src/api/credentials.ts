import { readUserFile, textsByKey, userFilePath, writeUserFile, type UserFile } from "./user-file.ts";

/** Credentials that `svc login` stores: keys by the service's address, and which of these is used. */
export interface StoredCredentials {
  current: string | undefined;
  keys: Readonly<Record<string, string>>;
}

type Env = Readonly<Record<string, string | undefined>>;

export function credentialsFile(env: Env): string {
  return userFilePath(env, "credentials.json");
}

function fileOf(env: Env): UserFile<StoredCredentials> {
  const empty = { current: undefined, keys: {} };
  return { path: credentialsFile(env), empty, parse, remedy: "delete it, then svc login" };
}

/** @throws CliError when the file is there and can't be used */
export function readCredentials(env: Env): Promise<StoredCredentials> {
  return readUserFile(fileOf(env));
}

export function writeCredentials(env: Env, credentials: StoredCredentials): Promise<void> {
  return writeUserFile(fileOf(env), credentials);
}

function parse(json: unknown): StoredCredentials | undefined {
  const { current, keys: stored } = (json ?? {}) as { current?: unknown; keys?: unknown };
  const keys = textsByKey(stored);
  if (keys === undefined || (current !== undefined && typeof current !== "string")) return undefined;
  return { current, keys };
}
