import type { ContainerState } from "../ports.ts";

/**
 * Bytes kept back for the daemons: the engine alone takes 190 MiB at rest; agent, proxy, name server, kernel and, on a
 * host of its own, the control plane with its database need the rest. An app of the smallest tier fits on a host of 1 GiB.
 */
const RESERVE_BYTES = 512 * 1024 ** 2;

/** A container, as far as it counts. */
export type PromisedContainer = Pick<ContainerState, "appId" | "role" | "state" | "memoryBytes"> & {
  copies?: { wanted: number };
};

/** Returns how much memory apps and databases may be promised on a host that has so much. */
export function promisableBytes(totalBytes: number): number {
  return Math.max(0, totalBytes - RESERVE_BYTES);
}

/**
 * Returns, by app, what its containers may take: the largest cap of those that serve it, since the old and the new one of
 * a deploy count once, and its database's. A stopped app keeps its promise: it may be started at any time. A stopped
 * database without an app, which is what a soft stop leaves, has none.
 */
export function promisedByApp(containers: readonly PromisedContainer[]): Map<string, number> {
  return new Map([...Map.groupBy(containers, ({ appId }) => appId)].map(([appId, own]) => [appId, promised(own)]));
}

function promised(containers: readonly PromisedContainer[]): number {
  const serving = containers.filter(({ role }) => role === "app");
  const databases = containers.filter(({ role, state }) => role === "database" && (serving.length > 0 || isUp(state)));
  return largestCap(serving) + largestCap(databases);
}

/** A container that is `created` is about to run. */
function isUp(state: string): boolean {
  return state !== "exited" && state !== "dead";
}

function largestCap(containers: readonly PromisedContainer[]): number {
  return Math.max(0, ...containers.map(({ memoryBytes, copies }) => memoryBytes * (copies?.wanted ?? 1)));
}

export function sumOf(promises: ReadonlyMap<string, number>): number {
  return [...promises.values()].reduce((sum, bytes) => sum + bytes, 0);
}
