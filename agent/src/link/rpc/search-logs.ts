import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { LogSource, type SearchLogsRequest } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import type { AppLogs } from "../../edge/access-log/app-logs.ts";
import { inBatches } from "../../engine/logs/noticed-logs.ts";
import type { LogStore } from "../../log-store/log-store.ts";
import { searchFiles, type LogFindings, type LogSearch, type SearchOptions } from "../../log-store/search.ts";
import { lineMessage } from "./line-message.ts";
import { toAppRef, toLogSearch } from "./requests.ts";

interface Parts {
  logStore: LogStore;
  accessLogs: AppLogs;
}

/** SearchLogs of agent.proto. @throws SvcError invalid_request, too_many_streams */
export async function* searchLogs(request: SearchLogsRequest, parts: Parts, signal: AbortSignal) {
  const [app, search] = [toAppRef(request.app), toLogSearch(request)];
  const find = request.source === LogSource.ACCESS ? searchRequests : searchLines;
  // All that costs the host anything is within the turn.
  const { lines, until } = await parts.logStore.turns.take(app, signal, () => {
    const redactor = parts.logStore.redactors.of(request.secrets);
    return find(app.id, search, parts, { redactor, signal });
  });
  for (const batch of inBatches(lines)) yield { lines: batch.map(lineMessage) };
  if (until) yield { continueUntil: timestampFromDate(until) };
}

async function searchLines(
  appId: string,
  search: LogSearch,
  { logStore }: Parts,
  options: SearchOptions,
): Promise<LogFindings> {
  await logStore.refresh(appId, options.signal);
  return logStore.search(appId, search, options);
}

function searchRequests(
  appId: string,
  search: LogSearch,
  { accessLogs }: Parts,
  options: SearchOptions,
): Promise<LogFindings> {
  const files = accessLogs.open(appId).map(({ path, fd, bytes, modifiedAt }) => {
    return { path, fd, bytes, isCompressed: false, first: 0, last: modifiedAt.getTime() };
  });
  return searchFiles(files, search, options);
}
