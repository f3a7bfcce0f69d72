import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import Docker from "dockerode";
import { labelFilter, LABEL_SERVER } from "@svc/shared/rules/labels.ts";
import { eventually } from "../tools/eventually.ts";

/** Ends and removes what an agent leaves on purpose when it stops: proxy, name server, containers, networks, images. */
export async function removeHostOf(agentDataDir: string): Promise<void> {
  await endProcessesOf(agentDataDir);
  const identity = join(agentDataDir, "identity/server.json");
  if (!existsSync(identity)) return;
  const { id: serverId } = JSON.parse(readFileSync(identity, "utf8")) as { id: string };
  await removeByLabel(serverId);
}

/** Kills the processes that name a path in this directory on their command line, or run in it, as Caddy does. */
export async function endProcessesOf(directory: string): Promise<void> {
  const ours = (): number[] =>
    readdirSync("/proc")
      .filter((name) => /^[0-9]+$/.test(name) && Number(name) !== process.pid)
      .filter((pid) => commandLine(pid).includes(directory) || workingDirectory(pid).startsWith(directory))
      .map(Number);
  for (const pid of ours()) process.kill(pid, "SIGKILL");
  await eventually(ours, (pids) => pids.length === 0, { what: `processes of ${directory} end`, deadlineMs: 15_000 });
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

function workingDirectory(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return "";
  }
}

async function removeByLabel(serverId: string): Promise<void> {
  const docker = new Docker();
  const filters = labelFilter({ [LABEL_SERVER]: serverId });
  const containers = await docker.listContainers({ all: true, filters });
  await Promise.all(containers.map(({ Id: id }) => docker.getContainer(id).remove({ force: true, v: true })));
  for (const { Id: id } of await docker.listNetworks({ filters })) await docker.getNetwork(id).remove();
  for (const { Name: name } of (await docker.listVolumes({ filters })).Volumes ?? []) {
    await docker.getVolume(name).remove();
  }
  for (const { Id: id } of await docker.listImages({ filters })) await docker.getImage(id).remove({ force: true });
}
