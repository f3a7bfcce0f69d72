import type { Logger } from "@svc/shared/platform/logger.ts";
import { repeat } from "@svc/shared/platform/repeat.ts";
import { readDueRemovals } from "./app-removals.store.ts";
import { isAgentAway, removeFromServer, type RemovalParts } from "./remove-from-server.ts";

export interface RemovalSettings extends RemovalParts {
  log: Logger;
}

/** The slow look for what another process has noted down, and for what is tried again. */
const POLL_MS = 5_000;

/**
 * Removes from their hosts the apps that were deleted while the agent was away: as soon as it has a link, which is
 * before the next deploy there has built anything. Any number of processes may do so at once.
 */
export function startRemovals(settings: RemovalSettings) {
  const { db, links, clock, log } = settings;
  const stopping = new AbortController();
  const busy = new Map<string, Promise<void>>();

  async function clear(serverId: string): Promise<void> {
    for (const appId of await readDueRemovals(db, serverId)) {
      try {
        if (await removeFromServer(settings, appId, { signal: stopping.signal })) {
          log.info({ app_id: appId, server_id: serverId }, "a deleted app was removed from its server");
        }
      } catch (error) {
        if (stopping.signal.aborted || isAgentAway(error)) return;
        log.error(
          { err: error, app_id: appId, server_id: serverId },
          "a deleted app is not removed from its server yet",
        );
      }
    }
  }

  function look(serverId: string): void {
    if (stopping.signal.aborted || busy.has(serverId) || !links.agent(serverId)) return;
    const work = clear(serverId)
      .catch((error: unknown) => log.warn({ err: error }, "removals could not be looked up"))
      .finally(() => busy.delete(serverId));
    busy.set(serverId, work);
  }

  const lookAtAll = async (): Promise<void> => links.linkedServers().forEach(look);
  const unsubscribe = links.onChange(look);
  const failing = "removals could not be looked up";
  const polling = repeat({ everyMs: POLL_MS, failing, work: lookAtAll, clock, log }, stopping.signal);
  return {
    name: "removals",
    async stop(): Promise<void> {
      stopping.abort(new Error("the process stops"));
      unsubscribe();
      await Promise.all([polling, ...busy.values()]);
    },
  };
}
