import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import type { Clock } from "@svc/shared/platform/clock.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { repeat } from "@svc/shared/platform/repeat.ts";
import { windowOf } from "@svc/shared/rules/metrics/metrics-window.ts";
import type { Link } from "../fleet/links/link.ts";
import type { Db } from "../platform/database/database.ts";
import type { AgentClient } from "../ports.ts";
import { insertSamples, newestWindow, type Sample } from "./metrics.store.ts";
import type { AppSample, MetricsWindow } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { isId } from "@svc/shared/rules/ids.ts";
import { LATENCY_BUCKETS } from "@svc/shared/rules/metrics/latency-buckets.ts";
import { CLOCK_AHEAD_SECONDS_MAX, WINDOWS } from "./app-metrics.ts";

/** Milliseconds. */
const RETRY_MS = 3_000;

/** An agent that does not know the call is asked again after this time, though a newer one makes a link of its own. */
const OLD_AGENT_MS = 10 * 60_000;

export type MetricsLink = Pick<Link, "serverId" | "retired"> & { client: Pick<AgentClient, "watchMetrics"> };

export interface MetricsWatchParts {
  db: Db;
  clock: Clock;
  log: Logger;
}

/** Stores what a linked agent tells of its apps, from where the last link left off, until the link is retired. Never rejects. */
export async function watchMetrics(parts: MetricsWatchParts, link: MetricsLink): Promise<void> {
  const log = parts.log.child({ serverId: link.serverId });
  const work = async (): Promise<number> => {
    const attempt = new AbortController();
    const signal = AbortSignal.any([link.retired, attempt.signal]);
    try {
      await storeWindows({ ...parts, log }, link, signal);
      return RETRY_MS;
    } catch (error) {
      if (link.retired.aborted) return RETRY_MS;
      if (ConnectError.from(error).code !== Code.Unimplemented) throw error;
      log.info("the agent tells no metrics of apps: it is of an older version");
      return OLD_AGENT_MS;
    } finally {
      // Without the abort a stream that we stopped reading would stay open.
      attempt.abort();
    }
  };
  const failing = "lost the metrics of apps; asking again";
  await repeat({ everyMs: RETRY_MS, retryMsMax: RETRY_MS, failing, work, clock: parts.clock, log }, link.retired);
}

async function storeWindows({ db, clock, log }: MetricsWatchParts, link: MetricsLink, signal: AbortSignal) {
  const { serverId } = link;
  const now = (): number => clock.now().getTime() / 1000;
  const newest = await newestWindow(db, serverId);
  // Where the agent's clock was ahead, what it tells of these seconds now would be left out.
  const after = newest === undefined ? undefined : timestampFromMs(Math.min(newest, windowOf(now())) * 1000);
  let isWarned = false;
  for await (const { windows } of link.client.watchMetrics({ ...(after && { after }) }, { signal })) {
    const { samples, untimely } = samplesOf(windows, now());
    if (untimely > 0 && !isWarned) {
      isWarned = true;
      log.warn(
        { untimely },
        "metrics are left out that are over an hour old or of the future: is the server's clock wrong?",
      );
    }
    if (samples.length > 0) await insertSamples(db, serverId, samples);
  }
}

/** No app does as much in 10 s, and sixty of them fit into PostgreSQL's integer. */
const COUNT_MAX = 30_000_000;

/** JavaScript counts so far without an error; sixty of them fit into a bigint. */
const BYTES_MAX = 2 ** 52;

/**
 * Takes what an agent tells as samples, each app and time once. Nothing is trusted: numbers are cut to what the database holds, and
 * windows that no ring has a place for are left out.
 * @param now seconds since 1970
 */
function samplesOf(
  windows: readonly MetricsWindow[],
  now: number,
): { samples: Sample[]; /** Windows that are too old, or of the future. */ untimely: number } {
  const samples = new Map<string, Sample>();
  let untimely = 0;
  for (const { start, apps } of windows) {
    const startsAt = start ? timestampMs(start) / 1000 : 0;
    const isTimely = startsAt > now - WINDOWS.keptSeconds && startsAt <= now + CLOCK_AHEAD_SECONDS_MAX;
    if (!isTimely || windowOf(startsAt) !== startsAt) untimely += 1;
    else for (const app of apps) if (isId(app.appId)) samples.set(`${app.appId} ${startsAt}`, sampleOf(app, startsAt));
  }
  return { samples: [...samples.values()], untimely };
}

function sampleOf({ appId, usage, ...told }: AppSample, startsAt: number): Sample {
  return {
    app_id: appId,
    starts_at: startsAt,
    usage_windows: usage ? 1 : 0,
    cpu_ms: usage ? count(usage.cpuMilliseconds) : null,
    memory_bytes: usage ? bytes(usage.memoryBytes) : null,
    memory_bytes_max: usage ? bytes(usage.memoryBytesMax) : null,
    network_bytes_in: usage ? bytes(usage.networkBytesIn) : null,
    network_bytes_out: usage ? bytes(usage.networkBytesOut) : null,
    restarts: usage ? count(usage.restarts) : null,
    requests: count(told.requests),
    client_errors: count(told.clientErrors),
    errors: count(told.errors),
    latency_counts: told.latencyCounts.slice(0, LATENCY_BUCKETS).map(count),
  };
}

function count(value: number): number {
  return Math.min(value, COUNT_MAX);
}

function bytes(value: bigint): number {
  return Math.min(Number(value), BYTES_MAX);
}
