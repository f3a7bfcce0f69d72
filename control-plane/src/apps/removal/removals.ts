import type { Logger } from "@svc/shared/platform/logger.ts";
import { perKey } from "@svc/shared/platform/per-key.ts";
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
  const failing = "removals could not be looked up";
  const removing = perKey({ work: removeDeleted, failing, log }, stopping.signal);

  async function removeDeleted(serverId: string): Promise<void> {
    if (!links.agent(serverId)) return;
    for (const appId of await readDueRemovals(db, serverId)) {
      try {
        if (await removeFromServer(settings, { appId, serverId }, { signal: stopping.signal })) {
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

  const removeFromAll = async (): Promise<void> => links.linkedServers().forEach(removing.wake);
  const unsubscribe = links.onChange(removing.wake);
  const polling = repeat({ everyMs: POLL_MS, failing, work: removeFromAll, clock, log }, stopping.signal);
  return {
    name: "removals",
    async stop(): Promise<void> {
      stopping.abort(new Error("the process stops"));
      unsubscribe();
      await Promise.all([polling, removing.idle()]);
    },
  };
}
