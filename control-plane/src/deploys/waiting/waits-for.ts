/** The reasons why a deploy does not begin or go on. */
export const WAIT_REASONS = ["no_server", "all_drained", "no_room", "server_away", "deploy_ahead", "next"] as const;
export type WaitReason = (typeof WAIT_REASONS)[number];

/** The reasons of a deploy that has a server. */
export type QueueReason = Extract<WaitReason, "server_away" | "deploy_ahead" | "next">;

/**
 * Says why a deploy that has a server does not begin or go on.
 * @param isLinked whether the server's agent has been heard of within 10 s
 * @param isBehind whether another deploy of that server runs, or comes first; rollbacks stand in no queue
 */
export function waitsFor(deploy: { isLinked: boolean; isBehind: boolean }): QueueReason {
  if (!deploy.isLinked) return "server_away";
  return deploy.isBehind ? "deploy_ahead" : "next";
}

/** Counts the servers that an app may live on. */
export interface SuitedServers {
  all: number;
  /** Those that are not drained. */
  active: number;
  /** Those among the active ones that have memory for any app at all. */
  roomy: number;
}

/** Says why a deploy has no server. */
export function waitsForServer({ all, active, roomy }: SuitedServers): WaitReason {
  if (all === 0) return "no_server";
  if (active === 0) return "all_drained";
  return roomy === 0 ? "no_room" : "next";
}

/** The deploy that waits, as its owner may know it. */
export interface WaitFacts {
  reason: WaitReason;
  server: string | null;
  /** The app whose deploy is ahead; null when it is of another team, or beyond what the caller's key may see. */
  ahead: string | null;
  pool: string | null;
  label: string | null;
}

/** Says in a sentence what a deploy waits for. */
export function waitSentence({ reason, server, ahead, pool, label }: WaitFacts): string {
  const such = `${pool === null ? "" : ` of the pool ${pool}`}${label === null ? "" : ` with the label ${label}`}`;
  switch (reason) {
    case "no_server":
      return `No server${such} has joined yet. The deploy begins when one does.`;
    case "all_drained":
      return `Every server${such} is drained and takes no new apps. The deploy begins when one takes them again.`;
    case "no_room":
      return `No server${such} has memory left for another app. The deploy begins when there is room.`;
    case "server_away":
      return `The server ${server ?? "of the app"} can't be reached. The deploy goes on when it is back.`;
    case "deploy_ahead":
      return ahead === null
        ? "Another deploy runs on the app's server, or comes first."
        : `The deploy of the app ${ahead} on the same server comes first.`;
    case "next":
      return "It begins at once.";
  }
}
