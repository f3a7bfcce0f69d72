import { execFile, type ExecFileException } from "node:child_process";
import { promisify } from "node:util";
import { SvcError } from "@svc/shared/errors.ts";

/** Runs the proxy, and owns nothing else on the host. */
const PROXY_USER = "svc-caddy";

export interface Account {
  uid: number;
  gid: number;
}

/** Each takes milliseconds. */
const ANSWER_MS_MAX = 10_000;

/** Where such programs are, also for an agent that a person's shell has started. */
const PATH = `${process.env["PATH"] ?? ""}:/usr/sbin:/sbin`;

/**
 * The proxy's user, made when it is missing; undefined for an agent that is not root, whose proxy runs as itself.
 * @throws SvcError proxy_unavailable when it can't be made
 */
export async function ensureProxyAccount(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const known = await findAccount();
  if (known !== undefined) return known;
  const failure = await run("useradd", USER_OPTIONS).then(
    () => undefined,
    (error: unknown) => error as ExecFileException,
  );
  // Another agent of this host may have made it at the same moment.
  const made = await findAccount();
  if (made !== undefined) return made;
  throw new SvcError(
    "proxy_unavailable",
    `The user ${PROXY_USER}, which the proxy runs as, can't be made (${failure?.stderr?.trim() || failure?.message}). ` +
      `Make it with "useradd ${USER_OPTIONS.join(" ")}".`,
    { cause: failure },
  );
}

const USER_OPTIONS = [
  "--system",
  "--user-group",
  "--no-create-home",
  "--home-dir",
  "/nonexistent",
  "--shell",
  "/usr/sbin/nologin",
  PROXY_USER,
];

async function findAccount(): Promise<Account | undefined> {
  const entry = await run("getent", ["passwd", PROXY_USER]).catch(() => "");
  const [, , uid, gid] = entry.split(":").map(Number);
  return uid !== undefined && gid !== undefined && uid > 0 ? { uid, gid } : undefined;
}

async function run(program: string, argv: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program, argv, { timeout: ANSWER_MS_MAX, env: { PATH } });
  return stdout;
}

/**
 * The command as that user, who may listen on any port and nothing else, whatever the program's file says. A process that
 * it starts gets no more.
 */
export function commandAs(
  account: Account | undefined,
  command: readonly [string, ...string[]],
): [string, ...string[]] {
  if (account === undefined) return [...command];
  const capabilities = "-all,+net_bind_service";
  return [
    "setpriv",
    `--reuid=${account.uid}`,
    `--regid=${account.gid}`,
    "--clear-groups",
    "--no-new-privs",
    `--inh-caps=${capabilities}`,
    `--ambient-caps=${capabilities}`,
    `--bounding-set=${capabilities}`,
    "--",
    ...command,
  ];
}
