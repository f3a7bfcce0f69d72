import { toJson } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Clock } from "@svc/shared/platform/clock.ts";
import {
  Health,
  StatusSchema,
  StopReason,
  UnhealthyReason as Reason,
  type Status,
  type TakenBack,
} from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { isId } from "@svc/shared/rules/ids.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { recordHealth } from "../../apps/health/app-health.store.ts";
import type { Db } from "../../platform/database/database.ts";
import { recordPlatformStops, type ObservedStops } from "../../apps/platform-stops.store.ts";
import { storeStatus } from "../servers.store.ts";
import type { ObservedHealth, UnhealthyReason } from "../../apps/health/app-health.ts";
import type { AppsAddress } from "../app-url.ts";
import type { AgentClient } from "../../ports.ts";
import type { Hearings } from "./hearings.ts";
import type { Link } from "./link.ts";
import { OwnerStopWatch } from "./owner-stop-watch.ts";

export interface StatusTiming {
  /** An agent tells its status at least this often. */
  intervalSeconds: number;
  /** Figures that only drift are written at most this often, in milliseconds. */
  storeMsMin: number;
  retryMs: number;
}

/** 4 s keep the health that is shown within its 10 s; figures that only drift are for operators. */
export const statusTiming: StatusTiming = { intervalSeconds: 4, storeMsMin: 14_000, retryMs: 3_000 };

export interface StatusWatchOptions {
  link: Pick<Link, "serverId" | "retired"> & { client: Pick<AgentClient, "watchStatus" | "confirmTakenBack"> };
  db: Db;
  clock: Clock;
  log: Logger;
  timing: StatusTiming;
  hearings: Hearings;
  /** Where apps are served, for what webhooks are told. */
  appsAddress: AppsAddress;
  recordTakenBack: RecordTakenBack;
}

/** Records that the agent has taken a deploy back. Returns whether it need not be told again. */
export type RecordTakenBack = (serverId: string, taken: TakenBack) => Promise<boolean>;

/** The limit for an agent that answers from memory. */
const CONFIRM_MS_MAX = 10_000;

/** Keeps the newest status of a linked agent in the database, until the link is retired. Never throws. */
export async function watchStatus(options: StatusWatchOptions): Promise<void> {
  const { link, db, clock, log, timing, hearings, appsAddress } = options;
  const { serverId } = link;
  while (!link.retired.aborted) {
    const attempt = new AbortController();
    const signal = AbortSignal.any([link.retired, attempt.signal]);
    try {
      let stored: { at: number; essence: string } | undefined;
      let isHealthSettled = false;
      const ownerStops = new OwnerStopWatch(db, serverId, clock);
      for await (const { status } of link.client.watchStatus({ intervalSeconds: timing.intervalSeconds }, { signal })) {
        if (!status) continue;
        hearings.note(serverId);
        await recordTakeBacks(options, status);
        const now = clock.now();
        const observedAt = status.observedAt ? timestampDate(status.observedAt) : now;
        const essence = essenceOf(status);
        const isNews = stored?.essence !== essence;
        if (isNews || !isHealthSettled) {
          isHealthSettled = await recordHealth(db, serverId, observedHealth(status, observedAt), appsAddress);
        }
        if (isNews || ownerStops.isWaiting) await ownerStops.take(status);
        if (stored && !isNews && now.getTime() - stored.at < timing.storeMsMin) continue;
        stored = { at: now.getTime(), essence };
        // Lines of an app's log are not kept as they come.
        const json = JSON.stringify(toJson(StatusSchema, { ...status, takenBack: [] }));
        await storeStatus(db, serverId, { json, agentVersion: status.agentVersion, observedAt });
        if (isNews || status.stoppedApps.length > 0) await recordPlatformStops(db, serverId, observedStops(status));
      }
    } catch (error) {
      if (link.retired.aborted) return;
      log.warn({ err: error, serverId }, "lost the agent's status; asking again");
    } finally {
      // Without it a stream that we stopped reading would stay open.
      attempt.abort();
    }
    await clock.sleep(timing.retryMs, link.retired).catch(() => undefined);
  }
}

/**
 * Records deploys taken back. A failure is tried again with the next status, and keeps nothing else from being
 * recorded.
 */
async function recordTakeBacks(options: StatusWatchOptions, { takenBack }: Status): Promise<void> {
  const { link, recordTakenBack, log } = options;
  const { serverId } = link;
  for (const taken of takenBack) {
    try {
      // A deploy that has not ended yet: the status that tells of its end tells this again.
      if (!(await recordTakenBack(serverId, taken))) continue;
      const limits = { signal: link.retired, timeoutMs: CONFIRM_MS_MAX };
      await link.client.confirmTakenBack({ deployId: taken.deployId }, limits);
    } catch (error) {
      if (link.retired.aborted) return;
      log.error(
        { err: error, serverId, deployId: taken.deployId },
        "a release that was taken back is not recorded yet",
      );
    }
  }
}

const REASONS: Readonly<Record<StopReason, string>> = {
  [StopReason.UNSPECIFIED]: "unknown",
  [StopReason.DISK_LIMIT]: "disk_limit",
};

function observedStops({ stoppedApps, apps }: Status): ObservedStops {
  const stops = stoppedApps.filter(({ appId }) => isId(appId));
  return {
    stops: new Map(
      stops.map(({ appId, reason, detail, at }) => [
        appId,
        // A newer agent may have reasons that this version does not know.
        { reason: REASONS[reason] ?? "unknown", detail, at: (at ? timestampDate(at) : new Date(0)).toISOString() },
      ]),
    ),
    running: new Set(apps.flatMap(({ app, state }) => (app && state === "running" ? [app.id] : []))),
  };
}

const UNHEALTHY: Readonly<Record<Reason, UnhealthyReason | undefined>> = {
  [Reason.UNSPECIFIED]: undefined,
  [Reason.CRASH_LOOP]: "crash_loop",
  [Reason.OUT_OF_MEMORY]: "out_of_memory",
  [Reason.NOT_LISTENING]: "not_listening",
  [Reason.GONE]: "gone",
};

/** Returns the health of apps that the agent can judge. */
function observedHealth({ apps }: Status, observedAt: Date): Map<string, ObservedHealth> {
  const observed = apps.flatMap(({ app, health, reason, since }): [string, ObservedHealth][] => {
    const isServing = health === Health.SERVING;
    // A newer agent may have reasons that this version does not know.
    const unhealthyFor = reason === Reason.UNSPECIFIED ? undefined : (UNHEALTHY[reason] ?? "not_listening");
    if (!app || !isId(app.id) || (!isServing && unhealthyFor === undefined)) return [];
    const from = since ? timestampDate(since) : observedAt;
    return [[app.id, { reason: isServing ? null : unhealthyFor!, since: from, observedAt }]];
  });
  return new Map(observed);
}

/**
 * Returns the part of a status that a reader must see at once: the lock, the apps, those that were stopped, and whether
 * engine and proxy are reached.
 */
function essenceOf({ lock, apps, stoppedApps, ownerStoppedAppIds, engine, proxy }: Status): string {
  const holder = lock && [lock.holder?.deployId, lock.holder?.attempt, lock.step];
  const running = apps.map((app) => [
    app.containerId,
    app.state,
    app.health,
    app.reason,
    app.upstream,
    app.imageDigest,
  ]);
  const stopped = [stoppedApps.map(({ appId, detail }) => [appId, detail]), ownerStoppedAppIds];
  return JSON.stringify([holder, running, stopped, engine?.reachable, proxy?.reachable]);
}
