import { toJson } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Clock } from "@svc/shared/platform/clock.ts";
import { StatusSchema, type Status } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { repeat } from "@svc/shared/platform/repeat.ts";
import type { Db } from "../../platform/database/database.ts";
import { storeStatus } from "../servers.store.ts";
import type { AgentClient } from "../../ports.ts";
import type { Hearings } from "./hearings.ts";
import type { Link } from "./link.ts";

export interface StatusTiming {
  /** An agent tells its status at least this often. */
  intervalSeconds: number;
  /** Figures that only drift are written at most this often, in milliseconds. */
  storeMsMin: number;
  retryMs: number;
}

/** 4 s keep the health that is shown within its 10 s; figures that only drift are for operators. */
export const statusTiming: StatusTiming = { intervalSeconds: 4, storeMsMin: 14_000, retryMs: 3_000 };

export type WatchedLink = Pick<Link, "serverId" | "retired"> & {
  client: Pick<AgentClient, "watchStatus" | "confirmTakenBack">;
};

/** Is given the statuses of one agent in the order in which it tells them. */
export interface StatusReader {
  /**
   * Resolves when what the status tells of apps is recorded.
   * @param facts.isNews it differs from the one before in more than figures that drift
   * @param facts.isStored it is one of those that operators see, and is stored next
   */
  read(status: Status, facts: { observedAt: Date; isNews: boolean; isStored: boolean }): Promise<void>;
}

export interface StatusWatchOptions {
  link: WatchedLink;
  db: Db;
  clock: Clock;
  log: Logger;
  timing: StatusTiming;
  hearings: Hearings;
  /** Called for each connection anew: what was read over an earlier one may have been lost. */
  createReader: (link: WatchedLink) => StatusReader;
}

/** Keeps the newest status of a linked agent in the database, until the link is retired. Never rejects. */
export async function watchStatus(options: StatusWatchOptions): Promise<void> {
  const { link, clock, timing } = options;
  const work = async (): Promise<void> => {
    const attempt = new AbortController();
    // Without the abort a stream that we stopped reading would stay open.
    const reading = readStatuses(options, AbortSignal.any([link.retired, attempt.signal]));
    await reading.catch(tellLoss).finally(() => attempt.abort());
  };
  const log = options.log.child({ serverId: link.serverId });
  const failing = "lost the agent's status; asking again";
  // Each time: a stream that served for hours and breaks has not failed twice in a row.
  const tellLoss = (err: unknown): void => void (link.retired.aborted || log.warn({ err }, failing));
  await repeat({ everyMs: timing.retryMs, retryMsMax: timing.retryMs, failing, work, clock, log }, link.retired);
}

async function readStatuses(options: StatusWatchOptions, signal: AbortSignal): Promise<void> {
  const { link, db, clock, timing, hearings, createReader } = options;
  const { intervalSeconds, storeMsMin } = timing;
  const { serverId } = link;
  const reader = createReader(link);
  let stored: { at: number; essence: string } | undefined;
  for await (const { status } of link.client.watchStatus({ intervalSeconds }, { signal })) {
    if (!status) continue;
    hearings.note(serverId);
    const now = clock.now();
    const observedAt = status.observedAt ? timestampDate(status.observedAt) : now;
    const essence = essenceOf(status);
    const isNews = stored?.essence !== essence;
    const isStored = !stored || isNews || now.getTime() - stored.at >= storeMsMin;
    await reader.read(status, { observedAt, isNews, isStored });
    if (!isStored) continue;
    stored = { at: now.getTime(), essence };
    // Lines of an app's log are not kept as they come.
    const json = JSON.stringify(toJson(StatusSchema, { ...status, takenBack: [] }));
    await storeStatus(db, serverId, { json, agentVersion: status.agentVersion, observedAt });
  }
}

/** A reader must see these at once: the lock, the apps, those that were stopped, and whether engine and proxy are reached. */
function essenceOf({ lock, apps, stoppedApps, ownerStoppedAppIds, engine, proxy }: Status): string {
  const holder = lock && [lock.holder?.deployId, lock.holder?.attempt, lock.step];
  const running = apps.map((app) => [
    app.containerId,
    app.state,
    app.health,
    app.reason,
    app.upstream,
    app.imageDigest,
    app.copies.map(({ machine, serving }) => [machine, serving]),
    app.copiesWanted,
  ]);
  const stopped = [stoppedApps.map(({ appId, detail }) => [appId, detail]), ownerStoppedAppIds];
  return JSON.stringify([holder, running, stopped, engine?.reachable, proxy?.reachable]);
}
