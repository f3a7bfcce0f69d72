import type { Clock } from "@svc/shared/platform/clock.ts";
import { SvcError } from "@svc/shared/errors.ts";
import type { AppOnServer } from "../app.ts";
import { claimRemoval, giveUpRemoval, recordRemovalDone, type ClaimedRemoval } from "./app-removals.store.ts";
import { purgeApp } from "./purge-app.ts";
import { inTransaction, type Db } from "../../platform/database/database.ts";
import { fromAgentError } from "../../fleet/agent-errors.ts";
import type { AgentLinks } from "../../ports.ts";
import { onceReleased } from "../../fleet/once-released.ts";
import { requireAgent } from "../../fleet/require-agent.ts";

/** Draining takes 10 s, stopping app and database 10 and 30 s. */
const SOFT_STOP_LIMIT_MS = 90_000;
/** The last dump of a large database comes on top. */
const PURGE_LIMIT_MS = 30 * 60_000;
/** A call that has run into its limit has ended before another process repeats it. */
const CLAIM_SLACK_MS = 10_000;
/** The pause until a removal that failed is tried again: an engine that was down, a disk that was full. */
const RETRY_MS = 60_000;

const CLAIM_MS = { softStop: SOFT_STOP_LIMIT_MS + CLAIM_SLACK_MS, purge: PURGE_LIMIT_MS + CLAIM_SLACK_MS };

export interface RemovalParts {
  db: Db;
  links: AgentLinks;
  clock: Clock;
}

/** None of this app: it can't be deployed while somebody has its removal. */
const REFUSAL = { code: "deploy_in_progress", isDeployRunning: () => Promise.resolve(false) } as const;

/**
 * Does a recorded removal on a server; the record of an app that is purged where it lives goes with it.
 * @param options.takeBackRefused a purge that the agent refuses becomes a soft stop: somebody is told
 * @returns false when another process has it, or it is done
 * @throws SvcError why it can't be done now; it is tried again
 */
export async function removeFromServer(
  { db, links, clock }: RemovalParts,
  of: AppOnServer,
  { signal, takeBackRefused = false }: { signal?: AbortSignal; takeBackRefused?: boolean } = {},
): Promise<boolean> {
  const removal = await claimRemoval(db, of, CLAIM_MS);
  if (!removal) return false;
  try {
    const { appId, appName: name, serverId, purge } = removal;
    const options = { ...(signal && { signal }), timeoutMs: purge ? PURGE_LIMIT_MS : SOFT_STOP_LIMIT_MS };
    const agent = await requireAgent({ db, links }, serverId);
    await onceReleased(clock, REFUSAL, () => agent.removeApp({ app: { id: appId, name }, purge }, options));
  } catch (error) {
    const known = fromAgentError(error);
    const isAway = isAgentAway(known);
    await giveUpRemoval(db, removal, isAway ? 0 : RETRY_MS, { takeBackPurge: takeBackRefused && !isAway });
    throw known;
  }
  await inTransaction(db, async (tx) => recordRemoved(tx, removal));
  return true;
}

async function recordRemoved(tx: Db, removal: ClaimedRemoval): Promise<void> {
  // The app's row first: everybody locks in that order. An app that lives elsewhere by now was moved, and stays.
  if (removal.purge) await purgeApp(tx, removal.appId, removal.serverId);
  await recordRemovalDone(tx, removal);
}

/** An agent that is away comes back by itself: nobody has to do anything. */
export function isAgentAway(error: unknown): error is SvcError {
  return error instanceof SvcError && error.code === "agent_away";
}
