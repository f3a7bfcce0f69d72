import { timestampDate } from "@bufbuild/protobuf/wkt";
import { SvcError, toSvcError } from "@svc/shared/errors.ts";
import { LogSource, type LogLine, type StreamLogsResponse } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { PLATFORM_MARK } from "@svc/shared/rules/platform-line.ts";
import type { AppRow, PlatformStop } from "../apps/app.ts";
import type { ReleaseOf } from "../deploys/releases/release.ts";
import { platformStopOf } from "../apps/status/app-stops.ts";
import { quoted } from "../platform/invalid.ts";
import { LineRedactor } from "@svc/shared/redaction/line-redactor.ts";
import { fromAgentError } from "../fleet/agent-errors.ts";
import { appSecrets, secretsOfRelease } from "../deploys/inputs/app-secrets.ts";
import type { OperationContext } from "../platform/operation.ts";
import { requireAgent } from "../fleet/require-agent.ts";

/** The agent reads at most 500 lines from a local file. */
export const READ_LIMIT_MS = 20_000;

/** The container's own output, or the requests that the proxy has answered for the app's hosts. */
export type LogSourceName = "container" | "access";

/** The sources as the wire names them. */
export const LOG_SOURCES: Readonly<Record<LogSourceName, LogSource>> = {
  container: LogSource.CONTAINER,
  access: LogSource.ACCESS,
};

export interface LogBatch {
  /** Time in ISO 8601, a space, the line; redacted. */
  lines: string[];
  /** Lines left out because the reader was too slow. */
  dropped: number;
}

/** The parts of the process that reading a log needs. */
export type LogParts = Pick<OperationContext, "db" | "keyRing" | "links" | "redactors">;

/**
 * The last lines of the app's log, oldest first. While the platform keeps the
 * app stopped, one more says why, also when the container went with its log.
 * @throws SvcError never_deployed, agent_away
 */
export async function readLogs(
  ctx: LogParts,
  app: AppRow,
  { lines, source }: { lines: number; source: LogSourceName },
): Promise<string[]> {
  const stop = source === "container" ? await platformStopOf(ctx.db, app.id) : undefined;
  const secrets = await appSecrets(ctx, app.id);
  const read = await readEnd(ctx, app, { lines, source }, secrets).catch((error: unknown) => {
    if (!stop || toSvcError(error).code !== "never_deployed") throw error;
    return [];
  });
  return stop ? [...read, platformLine(stop)] : read;
}

/** Writes why the platform has stopped the app, as the end of its log. */
export function platformLine({ at, detail }: PlatformStop): string {
  return `${at} ${PLATFORM_MARK} ${detail}`;
}

/**
 * The last lines of the newest container of a deploy or a release, whether it is there or was removed lately. What its
 * release was started with is secret, also what the app does not have any more.
 * @throws SvcError not_found when there is no such deploy or release of the app, or no log of it; agent_away
 */
export async function readFormerLog(
  ctx: LogParts,
  app: AppRow,
  { lines, of }: { lines: number; of: ReleaseOf },
): Promise<string[]> {
  const what = "deployId" in of ? `the deploy ${of.deployId}` : `the release ${quoted(of.release)}`;
  const former = await secretsOfRelease(ctx, app.id, of);
  if (!former) {
    throw new SvcError("not_found", `No container of ${what} of ${app.name} was ever started, so it has no log.`);
  }
  const secrets = [...(await appSecrets(ctx, app.id)), ...former];
  return readEnd(ctx, app, { ...of, lines, source: "container" }, secrets).catch((error: unknown) => {
    if (toSvcError(error).code !== "never_deployed") throw error;
    const kept = "Those of an app's last 10 containers are, for 14 days, until the app is purged.";
    throw new SvcError("not_found", `The log of ${what} of ${app.name} is not kept any more. ${kept}`, {
      cause: error,
    });
  });
}

type LogEnd = { lines: number; source: LogSourceName } & Partial<ReleaseOf>;

async function readEnd(ctx: LogParts, app: AppRow, end: LogEnd, secrets: readonly string[]): Promise<string[]> {
  const redactor = new LineRedactor(ctx.redactors.of(secrets));
  const signal = AbortSignal.timeout(READ_LIMIT_MS);
  const all: string[] = [];
  for await (const batch of agentLogs(ctx, app, { ...end, follow: false, signal })) {
    all.push(...redactedLines(batch, redactor));
  }
  // Others have come before them, in which what is secret in the first may have begun.
  return [...all, ...redactor.end()].slice(-end.lines);
}

/**
 * The last lines as the agent sends them, then with `follow` what is written, until the container's end or the signal.
 * @throws SvcError never_deployed, agent_away
 */
export async function* agentLogs(
  ctx: LogParts,
  app: AppRow,
  { source, signal, ...options }: LogEnd & { follow: boolean; signal: AbortSignal },
): AsyncGenerator<StreamLogsResponse> {
  if (app.server_id === null) throw neverDeployed(app);
  const agent = await requireAgent(ctx, app.server_id);
  try {
    const request = { app: { id: app.id, name: app.name }, source: LOG_SOURCES[source], ...options };
    for await (const batch of agent.streamLogs(request, { signal })) yield batch;
  } catch (error) {
    const known = fromAgentError(error);
    throw known.code === "not_found" ? neverDeployed(app) : known;
  }
}

/** The time is written by us and never redacted, whatever the secrets are. */
export function redactedLines({ lines }: StreamLogsResponse, redactor: LineRedactor): string[] {
  return lines.map((line) => lineText(line, redactor.line(line.text, line.output)));
}

/** A line as the API has it: its time, a space, its text. */
export function lineText({ time }: LogLine, redacted: string): string {
  return `${(time ? timestampDate(time) : new Date(0)).toISOString()} ${redacted}`;
}

/** The refusal to read a log of an app without any container. */
export function neverDeployed({ name }: AppRow): SvcError {
  const sentence =
    `The app ${name} has no container, so it has no log: deploy it. What a deploy that failed has written is read with ` +
    "`deploy` or `release`, as in `svc logs --release v1`.";
  return new SvcError("never_deployed", sentence);
}
