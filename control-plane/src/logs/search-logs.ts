import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { SvcError } from "@svc/shared/errors.ts";
import { LogQueryError, parseLogQuery } from "@svc/shared/rules/log-query/log-query.ts";
import type { AppRow } from "../apps/app.ts";
import { secretsOfReleases } from "../deploys/inputs/app-secrets.ts";
import { fromAgentError } from "../fleet/agent-errors.ts";
import { requireAgent } from "../fleet/require-agent.ts";
import { invalid } from "../platform/invalid.ts";
import type { LogRange } from "./log-range.ts";
import { lineText, LOG_SOURCES, neverDeployed, type LogParts, type LogSourceName } from "./read-logs.ts";

/** An agent refuses a search that has waited for 15 s; one takes at most 5 s, and as long to read what is new. */
const SEARCH_LIMIT_MS = 30_000;

/** One of the searches that go on has ended by then. */
const RETRY_AFTER_SECONDS = 5;

export interface LogSearch extends LogRange {
  lines: number;
  source: LogSourceName;
  query: string;
}

export interface LogFindings {
  /** Time in ISO 8601, a space, the line; oldest first, redacted. */
  lines: string[];
  /** The end of the next search, where this one has stopped early; null: there is nothing before. */
  continueUntil: string | null;
}

/**
 * The newest lines that an app has written in the range and that the query finds, whichever containers it had.
 * @throws SvcError invalid_request, never_deployed, agent_away, too_many_streams
 */
export async function searchLogs(ctx: LogParts, app: AppRow, search: LogSearch): Promise<LogFindings> {
  const { lines, source, query, since, until } = search;
  requireQuery(query, source);
  if (app.server_id === null) throw neverDeployed(app);
  const agent = await requireAgent(ctx, app.server_id);
  // The agent hides them before the query sees a line: else what is found would tell them letter by letter. An agent that
  // does not do so yet sends lines in which they are hidden here.
  const secrets = await secretsOfReleases(ctx, app.id);
  const redactor = ctx.redactors.of(secrets);
  const found: LogFindings = { lines: [], continueUntil: null };
  try {
    const request = {
      app: { id: app.id, name: app.name, ownerId: app.owner_id },
      source: LOG_SOURCES[source],
      lines,
      query,
      secrets,
      since: timestampFromDate(since),
      until: timestampFromDate(until),
    };
    for await (const part of agent.searchLogs(request, { signal: AbortSignal.timeout(SEARCH_LIMIT_MS) })) {
      for (const line of part.lines) found.lines.push(lineText(line, redactor.text(line.text)));
      if (part.continueUntil) found.continueUntil = timestampDate(part.continueUntil).toISOString();
    }
    return found;
  } catch (error) {
    throw withRetryAfter(fromAgentError(error));
  }
}

function withRetryAfter(error: SvcError): SvcError {
  if (error.code !== "too_many_streams") return error;
  return new SvcError(error.code, error.message, { cause: error, retryAfterSeconds: RETRY_AFTER_SECONDS });
}

function requireQuery(query: string, source: LogSourceName): void {
  try {
    parseLogQuery(query, source === "access" ? "requests" : "lines");
  } catch (error) {
    throw error instanceof LogQueryError ? invalid(error.message) : error;
  }
}
