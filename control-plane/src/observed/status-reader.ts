import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Clock } from "@svc/shared/platform/clock.ts";
import {
  Health,
  StopReason,
  UnhealthyReason as Reason,
  type RunningApp,
  type Status,
  type TakenBack,
} from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { isId } from "@svc/shared/rules/ids.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import type { ObservedHealth, ReplicaHealth, UnhealthyReason } from "../apps/health/app-health.ts";
import type { AppsAddress } from "../fleet/app-url.ts";
import type { StatusReader, WatchedLink } from "../fleet/links/status-watch.ts";
import type { Db } from "../platform/database/database.ts";
import { OwnerStopWatch } from "./owner-stop-watch.ts";
import { recordHealth } from "./record-health.ts";
import { recordPlatformStops, type ObservedStops } from "./record-platform-stops.ts";

/** Records that the agent has taken a deploy back. Returns whether it need not be told again. */
export type RecordTakenBack = (serverId: string, taken: TakenBack) => Promise<boolean>;

export interface StatusReaderParts {
  db: Db;
  clock: Clock;
  log: Logger;
  /** Where apps are served, for what webhooks are told. */
  appsAddress: AppsAddress;
  recordTakenBack: RecordTakenBack;
}

/** An agent answers this from memory. */
const CONFIRM_MS_MAX = 10_000;

/** Brings the apps of a server to what its agent tells of them, one status after the other. */
export function createStatusReader(parts: StatusReaderParts, link: WatchedLink): StatusReader {
  const { db, clock, appsAddress } = parts;
  const { serverId } = link;
  const ownerStops = new OwnerStopWatch(db, serverId, clock);
  let isHealthSettled = false;
  return {
    async read(status, { observedAt, isNews, isStored }) {
      await recordTakeBacks(parts, link, status);
      if (isNews || !isHealthSettled) {
        isHealthSettled = await recordHealth(db, serverId, observedHealth(status, observedAt), appsAddress);
      }
      if (isNews || ownerStops.isWaiting) await ownerStops.take(status);
      if (isNews || (isStored && status.stoppedApps.length > 0))
        await recordPlatformStops(db, serverId, observedStops(status));
    },
  };
}

/** A part that fails is tried again with the next status, and keeps nothing else from being recorded. */
async function recordTakeBacks(
  { recordTakenBack, log }: StatusReaderParts,
  link: WatchedLink,
  { takenBack }: Status,
): Promise<void> {
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

/** Leaves out the apps of which the agent can say nothing. */
function observedHealth({ apps }: Status, observedAt: Date): Map<string, ObservedHealth> {
  const observed = apps.flatMap((running): [string, ObservedHealth][] => {
    const { app, health, reason, since } = running;
    const isServing = health === Health.SERVING;
    // A newer agent may have reasons that this version does not know.
    const unhealthyFor = reason === Reason.UNSPECIFIED ? undefined : (UNHEALTHY[reason] ?? "not_listening");
    if (!app || !isId(app.id) || (!isServing && unhealthyFor === undefined)) return [];
    const from = since ? timestampDate(since) : observedAt;
    const replicas = running.copiesWanted > 0 && { replicas: observedReplicas(running) };
    return [[app.id, { reason: isServing ? null : unhealthyFor!, since: from, observedAt, ...replicas }]];
  });
  return new Map(observed);
}

function observedReplicas({ copies, copiesWanted: wanted, databaseMachine }: RunningApp): ReplicaHealth {
  const told = copies.map(({ machine, serving }) => ({ machine, serving }));
  return {
    wanted,
    copies: told.toSorted((a, b) => a.machine.localeCompare(b.machine)),
    database_machine: databaseMachine === "" ? null : databaseMachine,
  };
}
