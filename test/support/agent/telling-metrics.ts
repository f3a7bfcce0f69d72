import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { watchMetrics, type MetricsLink } from "@svc/control-plane/metrics/metrics-watch.ts";
import type { Db } from "@svc/control-plane/platform/database/database.ts";
import {
  type AppSample,
  type AppSampleSchema,
  WatchMetricsResponseSchema,
} from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { systemClock, type Clock } from "@svc/shared/platform/clock.ts";
import { silentLogger } from "@svc/shared/platform/logger.ts";

/** An app in a window. */
export type ToldSample = Exclude<MessageInitShape<typeof AppSampleSchema>, AppSample>;

/** A window as an agent tells it. */
export interface ToldWindow {
  /** Seconds since 1970. */
  start: number;
  apps: ToldSample[];
}

/**
 * Tells windows, all in one message, as the agent of that server over a link of its own, and ends the link when they are stored.
 * @returns the window after which the control plane asked. Seconds since 1970
 */
export async function tellMetrics(
  { db, clock = systemClock }: { db: Db; clock?: Clock },
  serverId: string,
  windows: readonly ToldWindow[],
): Promise<number | undefined> {
  const ending = new AbortController();
  let after: number | undefined;
  async function* tell(request: Parameters<MetricsLink["client"]["watchMetrics"]>[0]) {
    after =
      request.after === undefined ? undefined : timestampMs(request.after as Parameters<typeof timestampMs>[0]) / 1000;
    yield create(WatchMetricsResponseSchema, {
      windows: windows.map(({ start, apps }) => ({ start: timestampFromMs(start * 1000), apps })),
    });
    ending.abort();
  }
  const link: MetricsLink = { serverId, retired: ending.signal, client: { watchMetrics: tell } };
  await watchMetrics({ db, clock, log: silentLogger }, link);
  return after;
}
