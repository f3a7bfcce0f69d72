import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, open, readFile, rm, rmdir } from "node:fs/promises";
import { glob } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { connectDocker } from "@svc/agent/docker/connection.ts";
import { newId } from "@svc/shared/ids.ts";
import type Docker from "dockerode";
import { eventually } from "./eventually.ts";

const run = promisify(execFile);

/** The default socket, also for a client that has a setting of its own. */
const SHARED = "unix:///var/run/docker.sock";

/** A Docker Engine that a test started and may fill, restart and configure. */
export interface OwnEngine {
  docker: Docker;
  dataDirectory: string;
  /** For `docker` and the agent. */
  host: string;
  stop(): Promise<void>;
}

export interface OwnEngineOptions {
  /** Of dockerd; `{id}` stands for a word that no other engine has. */
  args?: readonly string[];
  /** Images of the shared engine that it has, too. */
  images?: readonly string[];
  /** Keeps its data on an ext4 of this size; on the disk of /tmp without. */
  diskMegabytes?: number;
}

/**
 * Starts a dockerd in a network namespace of its own, so that its bridge and firewall touch nothing of this machine.
 * `nsenter`, since `ip netns exec` hides the control groups.
 */
export async function startOwnEngine({
  args = [],
  images = ["debian:bookworm-slim"],
  diskMegabytes,
}: OwnEngineOptions = {}): Promise<OwnEngine> {
  const id = `svc${newId().slice(-8).toLowerCase()}`;
  const directory = await mkdtemp("/tmp/svc-engine-");
  const dataDirectory = join(directory, "data");
  const host = `unix://${directory}/docker.sock`;
  await mkdir(dataDirectory);
  if (diskMegabytes !== undefined) await mountDisk(join(directory, "disk"), dataDirectory, diskMegabytes);
  await run("ip", ["netns", "add", id]);
  await run("ip", ["-n", id, "link", "set", "lo", "up"]);
  const log = await open(join(directory, "log"), "w");
  const dockerd = spawn(
    "nsenter",
    [
      `--net=/var/run/netns/${id}`,
      "dockerd",
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

  async function stop(): Promise<void> {
    if (dockerd.exitCode === null && dockerd.signalCode === null) {
      const ended = once(dockerd, "exit");
      dockerd.kill("SIGTERM");
      await ended;
    }
    await run("ip", ["netns", "del", id]);
    await unmountBelow(directory);
    await rm(directory, { recursive: true, force: true });
    await removeGroups(id);
  }

  const docker = connectDocker(host);
  try {
    await eventually(
      () =>
        docker.ping().then(
          () => "answers",
          () => (dockerd.exitCode === null ? "starting" : "ended"),
        ),
      (state) => state === "answers",
      { what: `an engine of its own starts; its log is ${directory}/log`, deadlineMs: 30_000 },
    );
    for (const image of images) await copyImage(image, host);
  } catch (error) {
    const tail = (await readFile(join(directory, "log"), "utf8")).slice(-2000);
    await stop();
    throw new Error(`An engine of its own did not start:\n${tail}`, { cause: error });
  }
  return { docker, dataDirectory, host, stop };
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
