import { MEMORY_BYTES } from "@svc/shared/spec/resources.ts";

/** A server that takes new apps. */
export interface Candidate {
  id: string;
  name: string;
  pool: string;
  labels: readonly string[];
  /** Whether some control plane has a link to its agent. */
  linked: boolean;
  /** Apps that live there. */
  appCount: number;
  /** Deploys that wait or run there. */
  openDeploys: number;
  /** The memory that its agent has promised to apps and databases; in bytes, as all memory here. */
  promisedBytes: number;
  /** The memory that may be promised there; 0 when nobody knows. */
  promisableBytes: number;
  /** The memory of apps that were placed there, and that its agent has promised nothing yet. */
  comingBytes: number;
  /** The used share of its fullest disk, from 0 to 1; null when nobody knows. */
  diskUsed: number | null;
  /** The load of the last minute for each core; null when nobody knows. */
  load: number | null;
}

/** The server that an app asks for. */
export interface Wanted {
  /** The app may live in any of these. */
  pools: readonly string[];
  /** A label that the server has; null for any server. */
  label: string | null;
  /** The memory that the app and its database may take. */
  memoryBytes: number;
}

/**
 * The server for an app that has none: the best one on which any app fits at all. An app may ask for less than its tier
 * allows, which only its build finds out, so that the agent has the last word on a server with little room.
 * @param candidates the active servers
 * @returns undefined when the app has to wait
 */
export function chooseServer<C extends Candidate>(candidates: readonly C[], wanted: Wanted): C | undefined {
  return rankServers(candidates, wanted).find((server) => !isFull(server));
}

/**
 * The servers that the app may live on, the best first: one whose agent is away comes after all others, since its
 * deploys would wait; then one without room for all that the app may take. Among the rest those with the fewest deploys
 * go first, so that many first deploys at once spread; then those with the most room.
 */
export function rankServers<C extends Candidate>(candidates: readonly C[], wanted: Wanted): C[] {
  return candidates
    .filter(
      ({ pool, labels }) => wanted.pools.includes(pool) && (wanted.label === null || labels.includes(wanted.label)),
    )
    .toSorted(
      (a, b) =>
        Number(b.linked) - Number(a.linked) ||
        Number(hasRoom(b, wanted)) - Number(hasRoom(a, wanted)) ||
        a.openDeploys - b.openDeploys ||
        pressure(a, wanted) - pressure(b, wanted) ||
        a.appCount - b.appCount ||
        a.name.localeCompare(b.name, "en"),
    );
}

/** Counts the app on the server that was chosen for it. */
export function countOn(server: Candidate, { memoryBytes }: Wanted): void {
  server.comingBytes += memoryBytes;
  server.appCount += 1;
  server.openDeploys += 1;
}

/** Whether its agent refuses even the smallest app. */
function isFull({ promisedBytes, promisableBytes }: Candidate): boolean {
  return promisableBytes > 0 && promisedBytes + MEMORY_BYTES.min > promisableBytes;
}

function hasRoom(server: Candidate, wanted: Wanted): boolean {
  return server.promisableBytes === 0 || memoryShare(server, wanted) <= 1;
}

/** A figure that is not known counts as this share. */
const UNKNOWN_SHARE = 0.5;

/** Is the lower, the more room the server has with the app on it: the sum of its shares of memory, disk and processors. */
function pressure(server: Candidate, wanted: Wanted): number {
  const memory = server.promisableBytes === 0 ? UNKNOWN_SHARE : memoryShare(server, wanted);
  return memory + (server.diskUsed ?? UNKNOWN_SHARE) + Math.min(1, server.load ?? UNKNOWN_SHARE);
}

function memoryShare({ promisedBytes, comingBytes, promisableBytes }: Candidate, { memoryBytes }: Wanted): number {
  return (promisedBytes + comingBytes + memoryBytes) / promisableBytes;
}
