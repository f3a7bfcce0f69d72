import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { LogSource, type SearchLogsRequest } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import type { AppLogs } from "../../edge/access-log/app-logs.ts";
import { inBatches } from "../../engine/logs/noticed-logs.ts";
import type { LogStore } from "../../log-store/log-store.ts";
import { searchFiles, type LogFindings, type LogSearch, type SearchOptions } from "../../log-store/search.ts";
import type { AppRef, Engine } from "../../ports.ts";
import { lineMessage } from "./line-message.ts";
import { toAppRef, toLogSearch } from "./requests.ts";

interface Parts {
  engine: Pick<Engine, "list">;
  logStore: LogStore;
  accessLogs: AppLogs;
}

/** SearchLogs of agent.proto. @throws SvcError invalid_request, too_many_streams */
export async function* searchLogs(request: SearchLogsRequest, parts: Parts, signal: AbortSignal) {
  const [app, search] = [toAppRef(request.app), toLogSearch(request)];
  const find = request.source === LogSource.ACCESS ? searchRequests : searchLines;
  const options = { redactor: parts.logStore.redactors.of(request.secrets), signal };
  const { lines, until } = await find(app, search, parts, options);
  for (const batch of inBatches(lines)) yield { lines: batch.map(lineMessage) };
  if (until) yield { continueUntil: timestampFromDate(until) };
}

async function searchLines(
  app: AppRef,
  search: LogSearch,
  { engine, logStore }: Parts,
  options: SearchOptions,
): Promise<LogFindings> {
  // Lines of a moment ago are found too; while the engine does not answer, only stored ones are.
  const containers = await engine.list({ appId: app.id, role: "app" }).catch(() => []);
  if (containers.length > 0) await logStore.collect(app.id, containers).catch(() => undefined);
  return logStore.search(app, search, options);
}

function searchRequests(
  app: AppRef,
  search: LogSearch,
  { accessLogs, logStore }: Parts,
  options: SearchOptions,
): Promise<LogFindings> {
  return logStore.turns.take(app, options.signal, async () => {
    const files = accessLogs.files(app.id).map(({ path, bytes, modifiedAt }) => {
      return { path, bytes, isCompressed: false, first: 0, last: modifiedAt.getTime() };
    });
    return searchFiles(files, search, options);
  });
}
