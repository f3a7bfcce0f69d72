import { realpath } from "node:fs/promises";
import { readUserFile, textsByKey, userFilePath, writeUserFile, type UserFile } from "../api/user-file.ts";
import type { Invocation } from "../command-line/command.ts";

/** App by the folder's real path. It is kept beside the key, not in the folder, where it would be committed by accident. */
type Links = Readonly<Record<string, string>>;

type Place = Pick<Invocation, "dir" | "env">;

/** The app that `svc link` remembers for the folder. @throws CliError */
export async function linkedApp({ dir, env }: Place): Promise<string | undefined> {
  const links = await readUserFile(fileOf(env));
  const folder = await realpath(dir);
  return Object.hasOwn(links, folder) ? links[folder] : undefined;
}

/** @throws CliError */
export async function linkFolder({ dir, env }: Place, app: string): Promise<void> {
  const file = fileOf(env);
  await writeUserFile(file, { ...(await readUserFile(file)), [await realpath(dir)]: app });
}

/** @throws CliError */
export async function unlinkFolder({ dir, env }: Place): Promise<void> {
  const file = fileOf(env);
  const folder = await realpath(dir);
  const links = Object.entries(await readUserFile(file)).filter(([linked]) => linked !== folder);
  await writeUserFile(file, Object.fromEntries(links));
}

function fileOf(env: Invocation["env"]): UserFile<Links> {
  return { path: userFilePath(env, "links.json"), empty: {}, parse: textsByKey, remedy: "delete it, then svc link" };
}
