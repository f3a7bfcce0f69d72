/** The reasons why a deploy does not begin or go on. */
export const WAIT_REASONS = ["no_server", "server_away", "deploy_ahead", "next"] as const;
export type WaitReason = (typeof WAIT_REASONS)[number];

/**
 * Says why a deploy that waits does not begin or go on.
 * @param isPlaced whether a server is known for it
 * @param isLinked whether that server's agent has been heard of within 10 s
 * @param isBehind whether another deploy of that server runs, or comes first; rollbacks stand in no queue
 */
export function waitsFor(deploy: { isPlaced: boolean; isLinked: boolean; isBehind: boolean }): WaitReason {
  if (!deploy.isPlaced) return "no_server";
  if (!deploy.isLinked) return "server_away";
  return deploy.isBehind ? "deploy_ahead" : "next";
}
