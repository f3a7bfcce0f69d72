import { timestampDate } from "@bufbuild/protobuf/wkt";
import { SvcError } from "@svc/shared/errors.ts";
import { LogSource, type StreamLogsResponse } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import type { AppRow } from "../db/apps.ts";
import { LineRedactor } from "../domain/redact-lines.ts";
import { fromAgentError } from "../fleet/agent-errors.ts";
import { appRedactor } from "./app-redactor.ts";
import type { OperationContext } from "./context.ts";
import { requireAgent } from "./require-agent.ts";

/** The agent reads at most 500 lines from a local file. */
const READ_LIMIT_MS = 20_000;

/** The container's own output, or the requests that the proxy has answered for the app's hosts (extension). */
export type LogSourceName = "container" | "access";

const SOURCES: Readonly<Record<LogSourceName, LogSource>> = {
  container: LogSource.CONTAINER,
  access: LogSource.ACCESS,
};

export interface LogBatch {
  /** Time in ISO 8601, a space, the line; redacted. */
  lines: string[];
  /** Lines left out because the reader was too slow. */
  dropped: number;
}

/**
 * The last lines of the app's log, oldest first (specification, Start, stop, restart, logs).
 * @throws SvcError never_deployed, agent_away
 */
export async function readLogs(
  ctx: OperationContext,
  app: AppRow,
  { lines, source }: { lines: number; source: LogSourceName },
): Promise<string[]> {
  const all: string[] = [];
  const signal = AbortSignal.timeout(READ_LIMIT_MS);
  for await (const batch of followLogs(ctx, app, { lines, source, follow: false, signal })) all.push(...batch.lines);
  return all;
}

/**
 * The last lines, then with `follow` what the container writes, until its end or the signal. Read as slowly as the
 * caller takes them.
 * @throws SvcError never_deployed, agent_away
 */
export async function* followLogs(
  ctx: OperationContext,
  app: AppRow,
  { lines, source, follow, signal }: { lines: number; source: LogSourceName; follow: boolean; signal: AbortSignal },
): AsyncGenerator<LogBatch> {
  if (app.server_id === null) throw neverDeployed(app);
  const agent = await requireAgent(ctx, app.server_id);
  const redactor = new LineRedactor(await appRedactor(ctx, app.id));
  try {
    const request = { app: { id: app.id, name: app.name }, lines, follow, source: SOURCES[source] };
    for await (const batch of agent.streamLogs(request, { signal })) yield redacted(batch, redactor);
  } catch (error) {
    const known = fromAgentError(error);
    throw known.code === "not_found" ? neverDeployed(app) : known;
  }
  const rest = redactor.end();
  if (rest.length > 0) yield { lines: rest, dropped: 0 };
}

/** The time is written by us and never redacted, whatever the secrets are. */
function redacted({ lines, dropped }: StreamLogsResponse, redactor: LineRedactor): LogBatch {
  const texts = redactor.push(lines.map(({ text }) => text));
  const times = lines.map(({ time }) => (time ? timestampDate(time) : new Date(0)).toISOString());
  return { lines: texts.map((text, i) => `${times[i]} ${text}`), dropped: Number(dropped) };
}

function neverDeployed({ name }: AppRow): SvcError {
  return new SvcError("never_deployed", `The app ${name} has no container, so it has no log: deploy it first.`);
}
