import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { eventually } from "../tools/eventually.ts";
import { freePorts } from "../tools/free-ports.ts";

const run = promisify(execFile);

/** A git host that is spoken to over SSH alone: a real sshd on loopback. */
export interface SshGitHost {
  port: number;
  /** `ssh://<this user>@localhost:<port>` */
  url: string;
  /** Its host key, `ssh-ed25519 AAAA…`. */
  hostKey: string;
  /** Makes <owner>/<name>.git with one commit; returns its full SHA. */
  repository(path: string, files: Readonly<Record<string, string>>): Promise<string>;
  /** The keys that may read, and no other, from now on. */
  authorize(publicKeys: readonly string[]): Promise<void>;
  /** Reads what sshd has logged. */
  log(): Promise<string>;
  close(): Promise<void>;
}

/** The keys may do nothing but read repositories below the host's folder, as a deploy key of a git host. */
export async function startSshGitHost(): Promise<SshGitHost> {
  const root = await mkdtemp(join(tmpdir(), "svc-ssh-git-"));
  const served = join(root, "served");
  await mkdir(served);
  const hostKeyFile = join(root, "host_key");
  await run("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "host", "-f", hostKeyFile]);
  const hostKey = (await readFile(`${hostKeyFile}.pub`, "utf8")).split(" ").slice(0, 2).join(" ");
  const keysFile = join(root, "authorized_keys");
  await writeFile(keysFile, "", { mode: 0o600 });
  const command = join(root, "serve");
  await writeFile(command, serveScript(served));
  await chmod(command, 0o755);

  const [port = 0] = await freePorts(1);
  const config = join(root, "sshd_config");
  await writeFile(config, sshdConfig({ port, root, hostKeyFile, keysFile }));
  // It separates privileges in this folder, which only its service makes.
  await mkdir("/run/sshd", { recursive: true, mode: 0o755 });
  const logFile = join(root, "log");
  const sshd = spawn("/usr/sbin/sshd", ["-D", "-f", config, "-E", logFile], { stdio: "ignore" });
  const exited = once(sshd, "exit");
  const log = (): Promise<string> => readFile(logFile, "utf8").catch(() => "");
  await eventually(
    () => accepts(port),
    (answer) => answer,
    { what: `sshd accepts on ${port}`, deadlineMs: 10_000, intervalMs: 20 },
  ).catch(async (error: unknown) => {
    sshd.kill();
    throw new Error(`sshd does not start: ${await log()}`, { cause: error });
  });

  return {
    port,
    url: `ssh://${userInfo().username}@localhost:${port}`,
    hostKey,
    log,
    repository: (path, files) => makeRepository(join(served, `${path}.git`), join(root, "work", path), files),
    authorize: (publicKeys) =>
      writeFile(keysFile, publicKeys.map((key) => `restrict,command="${command}" ${key}\n`).join("")),
    async close() {
      sshd.kill();
      await exited;
      await rm(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function sshdConfig(options: { port: number; root: string; hostKeyFile: string; keysFile: string }): string {
  return [
    `Port ${options.port}`,
    "ListenAddress 127.0.0.1",
    `HostKey ${options.hostKeyFile}`,
    `PidFile ${join(options.root, "pid")}`,
    `AuthorizedKeysFile ${options.keysFile}`,
    "AuthenticationMethods publickey",
    "PasswordAuthentication no",
    "KbdInteractiveAuthentication no",
    "PermitRootLogin yes",
    "UsePAM no",
    // The folder lies below /tmp, which everybody may write to.
    "StrictModes no",
    // git speaks version 2 of its protocol when it may say so.
    "AcceptEnv GIT_PROTOCOL",
    "LogLevel VERBOSE",
    "",
  ].join("\n");
}

/** Only reading, and only what is below the folder, whatever the client asks for. */
function serveScript(served: string): string {
  return `#!/bin/sh
path=$(printf '%s' "$SSH_ORIGINAL_COMMAND" | sed -n "s#^git-upload-pack '/\\\\([a-z0-9-]*/[a-z0-9-]*[.]git\\\\)'\\$#\\\\1#p")
[ -n "$path" ] || { echo "refused" >&2; exit 1; }
exec git -c safe.directory='*' -c uploadpack.allowFilter=true upload-pack "${served}/$path"
`;
}

async function makeRepository(bare: string, work: string, files: Readonly<Record<string, string>>): Promise<string> {
  const identity = ["AUTHOR", "COMMITTER"].flatMap((who) => [
    [`GIT_${who}_NAME`, "test"],
    [`GIT_${who}_EMAIL`, "test@example.com"],
  ]);
  const env = { PATH: process.env["PATH"], HOME: work, GIT_CONFIG_NOSYSTEM: "1", ...Object.fromEntries(identity) };
  const git = async (...argv: string[]): Promise<string> => (await run("git", argv, { cwd: work, env })).stdout.trim();
  await mkdir(work, { recursive: true });
  await git("init", "--quiet", "--bare", "--initial-branch=main", bare);
  await git("init", "--quiet", "--initial-branch=main");
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(work, name)), { recursive: true });
    await writeFile(join(work, name), content);
  }
  await git("add", "--all");
  await git("commit", "--quiet", "--message=first");
  await git("push", "--quiet", bare, "HEAD:refs/heads/main");
  return git("rev-parse", "HEAD");
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const done = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("connect", () => done(true)).once("error", () => done(false));
  });
}
