import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { AppSample, MetricsWindow } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { isId } from "@svc/shared/rules/ids.ts";
import { LATENCY_BUCKETS } from "@svc/shared/rules/metrics/latency-buckets.ts";
import { windowOf } from "@svc/shared/rules/metrics/metrics-window.ts";
import { CLOCK_AHEAD_SECONDS_MAX, WINDOWS } from "./app-metrics.ts";
import type { Sample } from "./metrics.store.ts";

/** No app does as much in 10 s, and sixty of them fit into PostgreSQL's integer. */
const COUNT_MAX = 30_000_000;

/** JavaScript counts so far without an error; sixty of them fit into a bigint. */
const BYTES_MAX = 2 ** 52;

/**
 * Takes what an agent tells as samples, each app and time once. Nothing is trusted: numbers are cut to what the database holds, and
 * windows that no ring has a place for are left out.
 * @param now seconds since 1970
 */
export function samplesOf(
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
