import { SvcError } from "@svc/shared/errors.ts";
import type { DockerContext } from "../context.ts";

/** A machine of the cluster as the manager tells of it. */
export interface SwarmNode {
  ID: string;
  Description?: { Hostname?: string; Resources?: { MemoryBytes?: number; NanoCPUs?: number } };
  Spec: { Availability: string };
  Status: { State: string };
}

export function nameOf({ ID, Description }: SwarmNode): string {
  return Description?.Hostname ?? ID;
}

export function takesWork({ Spec, Status }: SwarmNode): boolean {
  return Spec.Availability === "active" && Status.State === "ready";
}

export async function listNodes(ctx: DockerContext): Promise<SwarmNode[]> {
  return (await ctx.docker.listNodes()) as unknown as SwarmNode[];
}

/** Thousandths of the processors of the smallest machine that takes work: a cap above them is refused there. */
export async function smallestCpuMillis(ctx: DockerContext): Promise<number> {
  const nodes = (await listNodes(ctx)).filter(takesWork);
  return Math.min(...nodes.map((node) => (node.Description?.Resources?.NanoCPUs ?? Infinity) / 1_000_000));
}

/** This machine's address in the cluster. @throws SvcError engine_unavailable when it is no manager */
export async function managerAddress(ctx: DockerContext): Promise<string> {
  return (await requireManager(ctx)).NodeAddr;
}

interface SwarmInfo {
  NodeID: string;
  NodeAddr: string;
  ControlAvailable: boolean;
}

/** @throws SvcError engine_unavailable */
export async function requireManager(ctx: DockerContext): Promise<SwarmInfo> {
  const { Swarm } = (await ctx.docker.info()) as { Swarm?: SwarmInfo };
  if (Swarm?.ControlAvailable === true) return Swarm;
  throw new SvcError(
    "engine_unavailable",
    "The agent is to drive a swarm (SVC_ENGINE), but the server's container engine is no manager of one. Make it one with " +
      "`docker swarm init` or `docker swarm join`, or unset SVC_ENGINE, then start the agent again.",
  );
}
