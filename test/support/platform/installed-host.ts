import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { eventually } from "../tools/eventually.ts";

const run = promisify(execFile);
const SYSTEMCTL = fileURLToPath(new URL("systemctl.sh", import.meta.url));

/** A host on which a shell's command installs an agent: a view of this machine of its own, whose /etc, /opt and /run are others. */
export interface InstalledHost {
  /** Runs a command of the shell there. @returns what it writes */
  sh(command: string): Promise<string>;
  /** What the service has written. */
  log(): string;
  stop(): Promise<void>;
}

interface HostOptions {
  /** Is made, and removed at the end. */
  directory: string;
  /** What is in /etc/svc/agent.env before. */
  settings: Record<string, string>;
}

/** A mount namespace lives as long as a process in it. */
const HOLD = `
set -eu
for each in etc run; do
  mkdir -p "$1/$each/upper" "$1/$each/work"
  mount -t overlay overlay -o "lowerdir=/$each,upperdir=$1/$each/upper,workdir=$1/$each/work" "/$each"
done
mount -t tmpfs tmpfs /opt
mkdir -p /run/systemd/system /etc/svc /etc/systemd/system
cp "$1/agent.env" /etc/svc/agent.env
touch "$1/ready"
exec sleep infinity
`;

export async function startHost({ directory, settings }: HostOptions): Promise<InstalledHost> {
  const programs = join(directory, "bin");
  await mkdir(programs, { recursive: true });
  await copyFile(SYSTEMCTL, join(programs, "systemctl"));
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(join(directory, "agent.env"), lines.join(""));
  const holder = execFile("unshare", ["--mount", "--propagation", "private", "sh", "-c", HOLD, "hold", directory]);
  let said = "";
  holder.stderr?.on("data", (text: string) => (said += text));
  await eventually(
    () => {
      if (holder.exitCode !== null) throw new Error(`the host could not be made: ${said}`);
      return readFileOr(join(directory, "ready"));
    },
    (text) => text !== undefined,
    { what: "the host is there" },
  );
  const log = (): string => readFileOr(join(programs, "service.log")) ?? "";
  return {
    async sh(command) {
      const env = { ...process.env, PATH: `${programs}:${process.env["PATH"]}` };
      const within = ["--target", String(holder.pid), "--mount", "sh", "-c", command];
      const { stdout, stderr } = await run("nsenter", within, { env, cwd: directory, maxBuffer: 1 << 24 });
      return stdout + stderr;
    },
    log,
    async stop() {
      const supervisor = readFileOr(join(programs, "supervisor"));
      if (supervisor !== undefined) await run("kill", ["-KILL", "--", `-${supervisor.trim()}`]).catch(() => undefined);
      holder.kill("SIGKILL");
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function readFileOr(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
