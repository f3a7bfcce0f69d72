import { timestampDate, type Timestamp } from "@bufbuild/protobuf/wkt";
import {
  Health,
  UnhealthyReason,
  type Disk,
  type Lock,
  type RunningApp,
  type Status,
} from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { stepNameOf } from "@svc/shared/rules/step-on-wire.ts";
import { parseStatus } from "../fleet/parse-status.ts";
import { textTable } from "@svc/shared/platform/text-table.ts";

export interface ObservedServer {
  name: string;
  state: string;
  linked: boolean;
  /** JSON of svc.agent.v1.Status. */
  status: Record<string, unknown>;
  status_at: Date;
}

/** A server's stored status, for people. */
export function statusText(server: ObservedServer, now: Date): string {
  const status = parseStatus(server.status);
  const sections = [
    textTable([
      ["server", `${server.name} (${server.state}, agent ${server.linked ? "linked" : "away"})`],
      ["observed", ageText(server.status_at, now)],
      ["agent", `${status.agentVersion || "unknown"}, up ${durationText(Number(status.uptimeSeconds))}`],
      ["engine", reachText(status.engine, engineText(status))],
      ["proxy", reachText(status.proxy, status.proxy?.version ?? "")],
      ["cpu", cpuText(status)],
      ["memory", memoryText(status)],
      ...status.disks.map((disk) => [`disk (${disk.purpose})`, diskText(disk)]),
      ["lock", lockText(status.lock, now)],
    ]),
    appsText(status.apps, now),
    ...(status.stoppedApps.length === 0 ? [] : [stoppedText(status)]),
    errorsText(status),
  ];
  // The agent's words reach a terminal: no control characters, line ends of our own apart.
  return sections.map((section) => section.replace(/[^\P{Cc}\n]/gu, " ")).join("\n\n");
}

/** PEM; empty when the proxy has not made one yet. */
export function internalCaOf(status: Record<string, unknown>): string {
  return parseStatus(status).proxy?.internalCaPem ?? "";
}

export function ageText(time: Date, now: Date): string {
  const seconds = Math.max(0, Math.round((now.getTime() - time.getTime()) / 1000));
  return `${durationText(seconds)} ago`;
}

function engineText({ engine }: Status): string {
  return engine ? `${engine.version} (API ${engine.apiVersion})` : "";
}

function reachText(part: { reachable: boolean } | undefined, version: string): string {
  if (!part) return "unknown";
  return part.reachable ? version : `not reached, last seen as ${version || "unknown"}`;
}

function cpuText({ cpu }: Status): string {
  if (!cpu) return "unknown";
  return `${Math.round(cpu.usedRatio * 100)} % of ${cpu.cores} cores, load ${cpu.load1m.toFixed(2)}`;
}

function memoryText({ memory }: Status): string {
  const { totalBytes = 0n, availableBytes = 0n, promisedBytes = 0n, promisableBytes = 0n } = memory ?? {};
  const space = spaceText(totalBytes, availableBytes);
  if (promisableBytes === 0n) return space;
  return `${space}; ${bytesText(promisedBytes)} of ${bytesText(promisableBytes)} promised to apps and databases`;
}

function diskText(disk: Disk): string {
  const inodes = disk.inodesTotal === 0n ? "" : `, inodes ${percentUsed(disk.inodesTotal, disk.inodesAvailable)} used`;
  return spaceText(disk.totalBytes, disk.availableBytes) + inodes;
}

function spaceText(totalBytes: bigint, availableBytes: bigint): string {
  if (totalBytes === 0n) return "unknown";
  return `${bytesText(availableBytes)} free of ${bytesText(totalBytes)}, ${percentUsed(totalBytes, availableBytes)} used`;
}

function percentUsed(total: bigint, available: bigint): string {
  return `${Math.round((1 - Number(available) / Number(total)) * 100)} %`;
}

function bytesText(bytes: bigint): string {
  const gib = Number(bytes) / 1024 ** 3;
  return gib >= 1 ? `${gib.toFixed(1)} GiB` : `${Math.round(gib * 1024)} MiB`;
}

function lockText(lock: Lock | undefined, now: Date): string {
  if (!lock) return "free";
  const since = lock.takenAt ? `, taken ${ageText(timestampDate(lock.takenAt), now)}` : "";
  const stepName = stepNameOf(lock.step);
  const step = stepName ? `in ${stepName}` : "between steps";
  return `deploy ${lock.holder?.deployId ?? "unknown"}, attempt ${lock.holder?.attempt ?? 0}, ${step}${since}`;
}

const HEALTH_TEXT: Readonly<Record<Health, string>> = {
  [Health.UNSPECIFIED]: "unknown",
  [Health.SERVING]: "serving",
  [Health.NOT_SERVING]: "not serving",
};

const REASON_TEXT: Readonly<Record<UnhealthyReason, string | undefined>> = {
  [UnhealthyReason.UNSPECIFIED]: undefined,
  [UnhealthyReason.CRASH_LOOP]: "crash loop",
  [UnhealthyReason.OUT_OF_MEMORY]: "out of memory",
  [UnhealthyReason.NOT_LISTENING]: "not listening",
  [UnhealthyReason.GONE]: "gone",
};

function appsText(apps: readonly RunningApp[], now: Date): string {
  if (apps.length === 0) return "No apps.";
  const rows = apps.map(({ app, release, state, health, reason, restartCount, startedAt, imageDigest }) => [
    app?.name || (app?.id ?? "unknown"),
    release,
    state,
    REASON_TEXT[reason] ?? HEALTH_TEXT[health] ?? "unknown",
    String(restartCount),
    startedAt ? ageText(timestampDate(startedAt), now) : "-",
    imageDigest,
  ]);
  return textTable([["APP", "RELEASE", "STATE", "HEALTH", "RESTARTS", "STARTED", "IMAGE"], ...rows]);
}

function stoppedText({ stoppedApps }: Status): string {
  return `Stopped by the platform:\n${textTable(stoppedApps.map(({ at, detail }) => [isoText(at), detail]))}`;
}

function errorsText({ lastErrors }: Status): string {
  if (lastErrors.length === 0) return "No errors.";
  const rows = lastErrors.map(({ time, code, message }) => [isoText(time), code, message]);
  return `Last errors, newest first:\n${textTable(rows)}`;
}

function isoText(time: Timestamp | undefined): string {
  return time ? timestampDate(time).toISOString() : "-";
}

function durationText(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 2 * 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 2 * 86_400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}
