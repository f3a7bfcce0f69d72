import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, open, readdir, readFile, rm, rmdir, writeFile } from "node:fs/promises";
import { glob } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { connectDocker } from "@svc/agent/engine/connection.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import type Docker from "dockerode";
import { eventually } from "../tools/eventually.ts";
import { linkNetwork, type ReachableNetwork } from "./reachable-network.ts";

const run = promisify(execFile);

/** The default socket, also for a client that has a setting of its own. */
const SHARED = "unix:///var/run/docker.sock";

/** A Docker Engine that a test started and may fill, restart and configure. */
export interface OwnEngine {
  docker: Docker;
  dataDirectory: string;
  /** The network namespace that it runs in. */
  namespace: string;
  /** For `docker` and the agent. */
  host: string;
  /** Is for the agent: IPv4 CIDR, empty for an engine that is not reachable. */
  block: string;
  /** SIGKILL, as the kernel does when memory runs out: its containers go on until the next start ends them. */
  kill(): Promise<void>;
  /** As a host that loses its power: the engine, what runs its containers, and these. */
  killAll(): Promise<void>;
  /** Starts it again, as systemd does; resolves when it answers. */
  startAgain(): Promise<void>;
  stop(): Promise<void>;
}

export interface OwnEngineOptions {
  /** Arguments of dockerd; `{id}` stands for a word that no other engine has. */
  args?: readonly string[];
  /** Images of the shared engine that it has, too. */
  images?: readonly string[];
  /** Whether containers that get an address of its block are reached from here, and reach this host. */
  reachable?: boolean;
  /** Links its network namespace with others before it starts. */
  link?: (namespace: string) => Promise<void>;
  /** The name of its machine; this one's without. */
  hostname?: string;
  /** Keeps its data on an ext4 of this size; on the disk of /tmp without. */
  diskMegabytes?: number;
  /** Whether that ext4 lies in memory, where a commit takes the same time at any moment. */
  inMemory?: boolean;
}

/**
 * Starts a dockerd in a network namespace of its own, so that its bridge and firewall touch nothing of this machine.
 * `nsenter`, since `ip netns exec` hides the control groups.
 */
export async function startOwnEngine({
  args = [],
  images = ["debian:bookworm-slim"],
  diskMegabytes,
  inMemory = false,
  reachable = false,
  link,
  hostname,
}: OwnEngineOptions = {}): Promise<OwnEngine> {
  const id = `svc${newId().slice(-8).toLowerCase()}`;
  const directory = await mkdtemp("/tmp/svc-engine-");
  const dataDirectory = join(directory, "data");
  const host = `unix://${directory}/docker.sock`;
  await mkdir(dataDirectory);
  await writeFile(join(directory, "daemon.json"), "{}");
  const disk = join(inMemory ? "/dev/shm" : directory, `${id}.disk`);
  if (diskMegabytes !== undefined) await mountDisk(disk, dataDirectory, diskMegabytes);
  await run("ip", ["netns", "add", id]);
  await run("ip", ["-n", id, "link", "set", "lo", "up"]);
  const network: ReachableNetwork | undefined = reachable ? await linkNetwork(id) : undefined;
  await link?.(id);
  const inNetwork = [`--net=/var/run/netns/${id}`];
  const named = hostname === undefined ? [] : ["unshare", "--uts", "sh", "-c", `hostname ${hostname}; exec "$@"`, "sh"];
  const docker = connectDocker(host);
  let dockerd: ChildProcess;

  async function start(): Promise<void> {
    const log = await open(join(directory, "log"), "a");
    dockerd = spawn(
      "nsenter",
      [
        ...inNetwork,
        ...named,
        "dockerd",
        // Not what this machine's own engine is configured with.
        `--config-file=${directory}/daemon.json`,
        "--storage-driver=overlay2",
        `--data-root=${dataDirectory}`,
        `--exec-root=${directory}/run`,
        `--pidfile=${directory}/pid`,
        `--host=${host}`,
        ...args.map((arg) => arg.replaceAll("{id}", id)),
      ],
      { detached: true, stdio: ["ignore", log.fd, log.fd] },
    );
    await log.close();
    await eventually(
      () =>
        docker.ping().then(
          () => "answers",
          () => (dockerd.exitCode === null ? "starting" : "ended"),
        ),
      (state) => state === "answers",
      { what: `an engine of its own starts; its log is ${directory}/log`, deadlineMs: 60_000 },
    );
  }

  /** Its containerd ends with it. A pid file of a process that nobody has reaped would keep the next from starting. */
  async function kill(): Promise<void> {
    const ended = once(dockerd, "exit");
    dockerd.kill("SIGKILL");
    await ended;
    for (const file of ["pid", "run/containerd/containerd.pid"]) await rm(join(directory, file), { force: true });
  }

  async function killAll(): Promise<void> {
    const pids = await containerPids();
    await kill();
    endProcesses([...(await processesOf(directory)), ...pids]);
  }

  async function containerPids(): Promise<number[]> {
    const containers = await docker.listContainers();
    const inspected = await Promise.all(containers.map(({ Id: id }) => docker.getContainer(id).inspect()));
    return inspected.map(({ State: state }) => state.Pid).filter((pid) => pid > 0);
  }

  async function stop(): Promise<void> {
    if (dockerd.exitCode === null && dockerd.signalCode === null) {
      // With live-restore they would go on.
      endProcesses(await containerPids());
      const ended = once(dockerd, "exit");
      dockerd.kill("SIGTERM");
      await ended;
    }
    endProcesses(await processesOf(directory));
    await network?.release();
    await run("ip", ["netns", "del", id]);
    await unmountBelow(directory);
    await rm(disk, { force: true });
    await rm(directory, { recursive: true, force: true });
    await removeGroups(id);
  }

  try {
    await start();
    if (network) await run("nsenter", [...inNetwork, "iptables", "-I", "DOCKER-USER", "-j", "ACCEPT"]);
    for (const image of images) await copyImage(image, host);
  } catch (error) {
    const tail = (await readFile(join(directory, "log"), "utf8")).slice(-2000);
    await stop();
    throw new Error(`An engine of its own did not start:\n${tail}`, { cause: error });
  }
  return {
    docker,
    dataDirectory,
    namespace: id,
    host,
    block: network?.block ?? "",
    kill,
    killAll,
    startAgain: start,
    stop,
  };
}

/** Kills those that still run: a container's process ends with its shim. */
function endProcesses(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

/** Finds the engine's processes: those that run containers name its directory on their command line. */
async function processesOf(directory: string): Promise<number[]> {
  const pids = (await readdir("/proc")).map(Number).filter((pid) => Number.isInteger(pid) && pid !== process.pid);
  const commandLines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")));
  return pids.filter((_pid, index) => commandLines[index]?.includes(`${directory}/`));
}

async function mountDisk(file: string, directory: string, megabytes: number): Promise<void> {
  await run("truncate", ["-s", `${megabytes}M`, file]);
  await run("mkfs.ext4", ["-q", "-m", "0", file]);
  await run("mount", ["-o", "loop", file, directory]);
}

/** The disk, and what an engine leaves that is stopped while it ends a build. */
async function unmountBelow(directory: string): Promise<void> {
  const mounts = (await readFile("/proc/self/mounts", "utf8")).split("\n").map((line) => line.split(" ")[1] ?? "");
  for (const mount of mounts.filter((path) => path.startsWith(`${directory}/`)).toReversed()) {
    await run("umount", ["--lazy", mount]);
  }
}

async function copyImage(image: string, host: string): Promise<void> {
  const save = spawn("docker", ["-H", SHARED, "save", image], { stdio: ["ignore", "pipe", "inherit"] });
  const load = spawn("docker", ["-H", host, "load"], { stdio: [save.stdout, "ignore", "inherit"] });
  const [code] = (await once(load, "exit")) as [number | null];
  if (code !== 0) throw new Error(`docker load of ${image} ended with ${code}`);
}

/** The kernel keeps groups that nobody removes. */
async function removeGroups(id: string): Promise<void> {
  for await (const group of glob([`/sys/fs/cgroup/*/*${id}*/**/`, `/sys/fs/cgroup/*/*${id}*/`])) {
    await rmdir(group).catch(() => undefined);
  }
}
