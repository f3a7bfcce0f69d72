import type { ContainerCopy, ContainerState } from "../../ports.ts";
import { LABEL_COPIES, LABEL_IMAGE, LABEL_KEPT } from "./service-spec.ts";
import type { OwnService, SwarmTask } from "./services.ts";

/** States of a task that has ended by itself; one that was told to end is `shutdown`. */
const ENDED: ReadonlySet<string> = new Set(["complete", "failed", "rejected"]);
/** States of a task whose machine does not run it yet. */
const STARTING: ReadonlySet<string> = new Set([
  "new",
  "pending",
  "assigned",
  "accepted",
  "preparing",
  "ready",
  "starting",
]);

/** The facts that no task tells. */
export interface ServiceFacts {
  /** Names of machines by their ids. */
  nodes: ReadonlyMap<string, string>;
  /** How often a copy has ended by itself since the service was started. */
  ends: number;
  /** Containers of this machine's engine that ended for their memory. */
  outOfMemory: ReadonlySet<string>;
}

export function hasEnded({ Status: status }: SwarmTask): boolean {
  return ENDED.has(status.State);
}

/** Whether the copy runs and is to run: one that is about to be stopped gets no further requests. */
export function isLive({ DesiredState: desired, Status: status }: SwarmTask): boolean {
  return desired === "running" && status.State === "running";
}

/** Whether nothing of it runs any more. */
export function isOver({ Status: status }: SwarmTask): boolean {
  return !STARTING.has(status.State) && status.State !== "running";
}

/** How many copies are wanted, whether it runs or not. */
export function copiesWanted({ service }: OwnService): number {
  return Number(service.Spec.Labels?.[LABEL_COPIES] ?? 1);
}

export function isStopped({ service }: OwnService): boolean {
  return service.Spec.Mode?.Replicated?.Replicas === 0;
}

/**
 * A service as the port's container. Until it is kept running, the first end of a copy is its end, as of a container without
 * a restart policy, although the cluster makes that copy anew.
 */
export function toState(own: OwnService, facts: ServiceFacts): ContainerState {
  const { id, identity, service } = own;
  const labels = service.Spec.Labels ?? {};
  const isDown = isStopped(own);
  const live = own.tasks.filter(isLive);
  const isKept = labels[LABEL_KEPT] === "1";
  const failed = isKept || isDown ? undefined : own.tasks.findLast(hasEnded);
  const container = failed?.Status.ContainerStatus;
  const copies = isDown ? [] : copiesOf(own, facts.nodes);
  const isAgain = isKept || facts.ends > 0;
  return {
    id,
    appId: identity.app.id,
    appName: identity.app.name,
    role: identity.role,
    deployId: identity.deployId,
    release: identity.release,
    imageDigest: labels[LABEL_IMAGE] ?? "",
    state: isDown || failed ? "exited" : live.length > 0 ? "running" : isAgain ? "restarting" : "created",
    exitCode: failed ? container?.ExitCode : undefined,
    outOfMemory: facts.outOfMemory.has(container?.ContainerID ?? ""),
    restartCount: isKept ? facts.ends : 0,
    memoryBytes: service.Spec.TaskTemplate?.Resources?.Limits?.MemoryBytes ?? 0,
    address: copies.find(({ state }) => state === "running")?.address ?? "",
    port: identity.port,
    startedAt: earliest(live),
    copies: { wanted: copiesWanted(own), now: copies },
  };
}

function copiesOf({ service, tasks }: OwnService, nodes: ReadonlyMap<string, string>): ContainerCopy[] {
  const network = service.Spec.TaskTemplate?.Networks?.[0]?.Target ?? "";
  const wanted = tasks.filter((task) => task.DesiredState === "running" || STARTING.has(task.DesiredState));
  return wanted
    .filter((task) => isLive(task) || STARTING.has(task.Status.State))
    .map((task) => ({
      id: task.ID,
      node: nodes.get(task.NodeID ?? "") ?? "",
      address: addressOf(task, network),
      state: isLive(task) ? "running" : "starting",
    }));
}

function addressOf({ NetworksAttachments: attachments }: SwarmTask, network: string): string {
  const own = attachments?.find(({ Network }) => Network.ID === network);
  return own?.Addresses?.[0]?.split("/")[0] ?? "";
}

function earliest(tasks: readonly SwarmTask[]): Date | undefined {
  const times = tasks.map(({ Status }) => Date.parse(Status.Timestamp));
  return times.length === 0 ? undefined : new Date(Math.min(...times));
}
