import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { SvcError } from "@svc/shared/errors.ts";

/** The owner of the server's processes and files. */
export interface PostgresUser {
  name: string;
  /** Is set where files have to be given to another user: PostgreSQL refuses to run as root. */
  ids: { uid: number; gid: number } | undefined;
  spawn(program: string, args: readonly string[], options: SpawnOptions): ChildProcess;
}

/** Is tried in this order when the control plane runs as root: Debian's own user for it, else the user of nothing. */
const CANDIDATES = ["postgres", "nobody"];

/**
 * The user to run PostgreSQL as: ourselves, unless we are root.
 * @param paths absolute paths that it has to reach
 */
export async function choosePostgresUser(paths: readonly string[]): Promise<PostgresUser> {
  if (process.getuid?.() !== 0) {
    return {
      name: process.env["USER"] ?? "this user",
      ids: undefined,
      spawn: (program, args, options) => spawn(program, args, options),
    };
  }
  const { name, uid, gid } = await findUser();
  const reachable = (await Promise.all(paths.map((path) => canTraverse(path, uid, gid)))).every(Boolean);
  return {
    name,
    ids: { uid, gid },
    spawn: (program, args, options) =>
      reachable
        ? spawn(program, args, { ...options, uid, gid })
        : spawn("setpriv", [...searchPrivilege(uid, gid), program, ...args], options),
  };
}

/** Lets another user pass through directories such as /root (mode 0700) without opening them to everyone. */
function searchPrivilege(uid: number, gid: number): string[] {
  return [
    `--reuid=${uid}`,
    `--regid=${gid}`,
    "--clear-groups",
    "--inh-caps=+dac_read_search",
    "--ambient-caps=+dac_read_search",
    // initdb asks access(2) whether it may run its programs, which drops these capabilities for the real user otherwise.
    "--securebits=+no_setuid_fixup",
    "--",
  ];
}

async function findUser(): Promise<{ name: string; uid: number; gid: number }> {
  const lines = (await readFile("/etc/passwd", "utf8")).split("\n").map((line) => line.split(":"));
  for (const name of CANDIDATES) {
    const entry = lines.find((fields) => fields[0] === name);
    if (entry) return { name, uid: Number(entry[2]), gid: Number(entry[3]) };
  }
  throw new SvcError(
    "internal",
    `PostgreSQL refuses to run as root, and this system has none of the users ${CANDIDATES.join(", ")}. ` +
      "Start the control plane as another user, or set DATABASE_URL.",
  );
}

/** Whether the user may pass through every directory above `path`. */
async function canTraverse(path: string, uid: number, gid: number): Promise<boolean> {
  for (let directory = dirname(path); ; directory = dirname(directory)) {
    const { mode, uid: owner, gid: group } = await stat(directory);
    const bit = owner === uid ? 0o100 : group === gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return false;
    if (directory === dirname(directory)) return true;
  }
}
