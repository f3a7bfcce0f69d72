import { newId } from "@svc/shared/rules/ids.ts";
import { silentLogger } from "@svc/shared/platform/logger.ts";
import { parseCidr } from "@svc/agent/engine/network/address-block.ts";
import type { Cidr } from "@svc/agent/engine/network/address-block.ts";
import { connectDocker } from "@svc/agent/engine/connection.ts";
import { createDockerEngine, type DockerEngineOptions, type HostEngine } from "@svc/agent/engine/engine.ts";
import { HostNames } from "@svc/agent/engine/network/host-names.ts";
import { imageLabels, labelFilter, LABEL_SERVER, type Labels } from "@svc/shared/rules/labels.ts";
import type { AppRef, ContainerSpec, Engine, OwnedApp } from "@svc/agent/ports.ts";
import type Docker from "dockerode";

/** Apart from the block that agents use by default, so that a test never takes a subnet of one that runs here. */
export const TEST_BLOCK: Cidr = parseCidr("10.222.0.0/16")!;

export interface TestEngine {
  docker: Docker;
  engine: Engine;
  serverId: string;
  names: HostNames;
  /** Another agent's view of the same engine; without arguments, the same agent after a restart. */
  again(
    options?: Partial<
      Pick<DockerEngineOptions, "docker" | "serverId" | "addressBlock" | "build" | "names" | "isIsolationRequired">
    >,
  ): HostEngine;
  /** An image of the app that runs `script` with Node. @returns its digest */
  makeImage(app: AppRef, deployId: string, script: string): Promise<string>;
  /** Removes everything that carries this server's label. */
  cleanUp(): Promise<void>;
}

/** The real engine of this machine, behind a server label that no other test has. */
export function createTestEngine(): TestEngine {
  const docker = connectDocker(process.env["DOCKER_HOST"]);
  const serverId = newId();
  const names = new HostNames(newId());
  const again: TestEngine["again"] = (options = {}) =>
    createDockerEngine({
      docker,
      serverId,
      addressBlock: TEST_BLOCK,
      names,
      build: () => Promise.reject(new Error("this test builds nothing")),
      log: silentLogger,
      ...options,
    });
  return {
    docker,
    engine: again(),
    serverId,
    names,
    again,
    makeImage: (app, deployId, script) => commitImage(docker, { ...imageLabels(serverId, app, deployId) }, script),
    cleanUp: () => removeAll(docker, serverId),
  };
}

export function newApp(name = "shop"): OwnedApp {
  return { id: newId(), name, ownerId: newId() };
}

/** Runs `script` with Node. */
export function nodeContainer(app: AppRef, script: string, fields: Partial<ContainerSpec> = {}): ContainerSpec {
  return {
    app,
    role: "app",
    deployId: newId(),
    release: "v1",
    image: "node:22-slim",
    command: ["node", "-e", script],
    env: {},
    port: 3000,
    memoryBytes: 64 * 1024 * 1024,
    cpuMillis: 500,
    aliases: [],
    volumes: {},
    capabilities: [],
    ...fields,
  };
}

/** Without a build: a container that never runs is committed with another command and our labels. */
export async function commitImage(docker: Docker, labels: Labels, script: string): Promise<string> {
  const container = await docker.createContainer({
    Image: "node:22-slim",
    Cmd: ["node", "-e", script],
    Labels: { ...labels },
  });
  try {
    const changes = Object.entries(labels).map(([name, value]) => `LABEL ${name}="${value}"`);
    const committed: unknown = await container.commit({ changes: changes.join("\n") });
    return (committed as { Id: string }).Id;
  } finally {
    await container.remove();
  }
}

async function removeAll(docker: Docker, serverId: string): Promise<void> {
  const filters = labelFilter({ [LABEL_SERVER]: serverId });
  for (const { Id: id } of await docker.listContainers({ all: true, filters })) {
    await docker.getContainer(id).remove({ force: true, v: true });
  }
  for (const { Id: id } of await docker.listNetworks({ filters })) await docker.getNetwork(id).remove();
  for (const { Name: name } of (await docker.listVolumes({ filters })).Volumes ?? []) {
    await docker.getVolume(name).remove();
  }
  for (const { Id: id } of await docker.listImages({ filters })) await docker.getImage(id).remove({ force: true });
}
