import { SvcError } from "@svc/shared/errors.ts";
import {
  labelFilter,
  LABEL_APP,
  LABEL_DEPLOY,
  LABEL_ROLE,
  LABEL_SERVER,
  readContainerLabels,
  type ContainerIdentity,
} from "@svc/shared/rules/labels.ts";
import type { ServiceSpec } from "dockerode";
import type { ContainerFilter } from "../../ports.ts";
import type { DockerContext } from "../context.ts";
import { engineMessage, unless } from "../errors.ts";

/** A service as the manager tells of it. */
export interface SwarmService {
  ID: string;
  Version: { Index: number };
  CreatedAt: string;
  Spec: ServiceSpec & { Labels?: Record<string, string> };
}

/** One run of one copy: the manager keeps those that have ended for a while. */
export interface SwarmTask {
  ID: string;
  ServiceID: string;
  CreatedAt: string;
  NodeID?: string;
  DesiredState: string;
  Status: {
    State: string;
    Timestamp: string;
    Err?: string;
    ContainerStatus?: { ContainerID?: string; ExitCode?: number };
  };
  NetworksAttachments?: { Network: { ID: string }; Addresses?: string[] | null }[] | null;
}

/** A service of this server's with its tasks, oldest first. */
export interface OwnService {
  id: string;
  identity: ContainerIdentity;
  service: SwarmService;
  tasks: readonly SwarmTask[];
}

/** A manager refuses a change that was made for another version than the one it has. */
const OUT_OF_SEQUENCE = /out of sequence/i;
const CHANGE_TRIES_MAX = 10;

export async function listServices(ctx: DockerContext, filter: ContainerFilter): Promise<OwnService[]> {
  const labels = {
    [LABEL_SERVER]: ctx.serverId,
    ...(filter.appId === undefined ? {} : { [LABEL_APP]: filter.appId }),
    ...(filter.deployId === undefined ? {} : { [LABEL_DEPLOY]: filter.deployId }),
    ...(filter.role === undefined ? {} : { [LABEL_ROLE]: filter.role }),
  };
  return withTasks(ctx, (await ctx.docker.listServices({ filters: labelFilter(labels) })) as unknown as SwarmService[]);
}

/** Is undefined when there is none, or it is not ours. */
export async function readService(ctx: DockerContext, id: string): Promise<OwnService | undefined> {
  const service = (await unless([404], ctx.docker.getService(id).inspect())) as unknown as SwarmService | undefined;
  return service && (await withTasks(ctx, [service]))[0];
}

/** @throws SvcError not_found */
export async function requireService(ctx: DockerContext, id: string): Promise<OwnService> {
  const found = await readService(ctx, id);
  if (found !== undefined) return found;
  throw new SvcError("not_found", `This server has no container ${id} of an app.`);
}

async function withTasks(ctx: DockerContext, services: readonly SwarmService[]): Promise<OwnService[]> {
  const own = services.flatMap((service) => {
    const identity = readContainerLabels(ctx.serverId, service.Spec.Labels);
    return identity ? [{ id: service.ID, identity, service }] : [];
  });
  if (own.length === 0) return [];
  const listed = (await ctx.docker.listTasks({ filters: { service: own.map(({ id }) => id) } })) as SwarmTask[];
  const tasks = Map.groupBy(
    listed.toSorted((a, b) => (a.CreatedAt < b.CreatedAt ? -1 : 1)),
    ({ ServiceID }) => ServiceID,
  );
  return own.map(({ id, identity, service }) => ({ id, identity, service, tasks: tasks.get(id) ?? [] }));
}

/** Changes the service's spec as `next` says. One that has gone meanwhile, or is not ours, stays as it is. */
export async function changeService(
  ctx: DockerContext,
  id: string,
  next: (spec: SwarmService["Spec"]) => SwarmService["Spec"],
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const found = await readService(ctx, id);
    if (found === undefined) return;
    try {
      // The client would put the spec, with its variables, into the address otherwise.
      const change = { _query: { version: found.service.Version.Index }, _body: next(found.service.Spec) };
      await unless([404], ctx.docker.getService(id).update(change));
      return;
    } catch (error) {
      if (!OUT_OF_SEQUENCE.test(engineMessage(error)) || tries === CHANGE_TRIES_MAX) throw error;
    }
  }
}

export function withCopies(spec: SwarmService["Spec"], copies: number): SwarmService["Spec"] {
  return { ...spec, Mode: { Replicated: { Replicas: copies } } };
}
