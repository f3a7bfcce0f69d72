import type { OpenDeploy, Server } from "../client/answers.ts";
import { shownShare } from "./bytes.ts";
import { AGENT_SOON_MS, certificateTerm } from "./certificate-term.ts";

/** The words for a server's state; `isBroken` when somebody should look, `awaySince` for one that is away. */
export function serverState({ state, linked, last_seen_at }: Pick<Server, "state" | "linked" | "last_seen_at">): {
  text: string;
  isBroken: boolean;
  awaySince?: string | null;
} {
  if (state === "joining") return { text: "waits for its agent to join", isBroken: false };
  const drained = state === "draining" ? ", drained" : "";
  if (!linked) return { text: `away${drained}`, isBroken: true, awaySince: last_seen_at };
  return { text: state === "draining" ? "drained: takes no new apps" : "takes new apps", isBroken: false };
}

/** Whether the certificate by which the server's agent is recognised was renewed in time; one that has none yet is good. */
export function agentCertificate({ certificate_until: until }: Pick<Server, "certificate_until">, now: Date) {
  return until === null ? "good" : certificateTerm(until, now, AGENT_SOON_MS);
}

/** Servers that somebody should look at come first; the rest stands by name. */
export function brokenServersFirst(a: Server, b: Server): number {
  return Number(serverState(b).isBroken) - Number(serverState(a).isBroken) || a.name.localeCompare(b.name);
}

/** The share that is used of the fullest disk, with the disk's purpose; empty when none is known. */
export function fullestDisk({ disks }: Pick<Server, "disks">): string {
  const used = disks.map(({ purpose, total_bytes, available_bytes }) => ({
    purpose,
    total: total_bytes,
    used: total_bytes - available_bytes,
  }));
  const [fullest] = used.toSorted((a, b) => b.used / (b.total || 1) - a.used / (a.total || 1));
  return fullest === undefined ? "" : `${shownShare(fullest.used, fullest.total)} (${fullest.purpose})`;
}

const WAITS_FOR: Record<NonNullable<OpenDeploy["waits_for"]>, string> = {
  server_away: "waits for the server, which is away",
  deploy_ahead: "waits for the deploys before it",
  next: "begins next",
};

/** The state of a deploy in a server's queue. */
export function openDeployText({ waits_for }: Pick<OpenDeploy, "waits_for">): string {
  return waits_for === null ? "runs" : WAITS_FOR[waits_for];
}
