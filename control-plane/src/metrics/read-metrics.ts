import type { AppRow } from "../apps/app.ts";
import type { OperationContext } from "../platform/operation.ts";
import { storedStepOf, type Range } from "./app-metrics.ts";
import { addCounts, percentileMs } from "./latency.ts";
import { readDeployMarks, readMetrics, type DeployMark, type MetricsRow } from "./metrics.store.ts";

/** The most deploys in an answer, the newest. */
const DEPLOYS_MAX = 100;

/** A value of each step, null where nothing was told. */
type Series = (number | null)[];

export interface AppSeries {
  requests: Series;
  client_errors: Series;
  errors: Series;
  latency_p50_ms: Series;
  latency_p99_ms: Series;
  cpu_cores: Series;
  memory_bytes: Series;
  memory_bytes_max: Series;
  network_bytes_in: Series;
  network_bytes_out: Series;
  restarts: Series;
}

/** Reads what the app has used and answered in the range, step by step, and the deploys that ended in it. */
export async function readAppMetrics(
  { db }: Pick<OperationContext, "db">,
  app: AppRow,
  range: Range,
): Promise<{ series: AppSeries; deploys: DeployMark[] }> {
  const rows = await readMetrics(db, app.id, storedStepOf(range.step), range);
  return { series: seriesOf(rows, range), deploys: await readDeployMarks(db, app.id, range, DEPLOYS_MAX) };
}

/** Milliseconds on processors in a window of 10 s, of one core. */
const CORE_MS = 10_000;

function seriesOf(rows: readonly MetricsRow[], { step, since, until }: Range): AppSeries {
  const byStep = Map.groupBy(rows, ({ starts_at: at }) => Math.floor((Number(at) - since) / step));
  const points = Array.from({ length: (until - since) / step }, (_, place) => byStep.get(place) ?? []);
  const sum = (value: (row: MetricsRow) => number | string | null): Series =>
    points.map((own) => fold(own, value, add));
  const most = (value: (row: MetricsRow) => number | string | null): Series =>
    points.map((own) => fold(own, value, Math.max));
  const latencies = points.map((own) => own.map((row) => row.latency_counts).reduce(addCounts, []));
  const percentile = (share: number): Series => latencies.map((counts) => tenths(percentileMs(counts, share)));
  return {
    requests: sum((row) => row.requests),
    client_errors: sum((row) => row.client_errors),
    errors: sum((row) => row.errors),
    latency_p50_ms: percentile(0.5),
    latency_p99_ms: percentile(0.99),
    cpu_cores: points.map(coresOf),
    memory_bytes: most((row) => row.memory_bytes),
    memory_bytes_max: most((row) => row.memory_bytes_max),
    network_bytes_in: sum((row) => row.network_bytes_in),
    network_bytes_out: sum((row) => row.network_bytes_out),
    restarts: sum((row) => row.restarts),
  };
}

function fold(
  rows: readonly MetricsRow[],
  value: (row: MetricsRow) => number | string | null,
  two: (a: number, b: number) => number,
): number | null {
  const known = rows.map(value).filter((each) => each !== null);
  return known.length === 0 ? null : known.map(Number).reduce((a, b) => two(a, b));
}

/** Over the time that is known. */
function coresOf(rows: readonly MetricsRow[]): number | null {
  const windows = rows.reduce((sum, row) => sum + row.usage_windows, 0);
  const cpuMs = rows.reduce((sum, row) => sum + (row.cpu_ms ?? 0), 0);
  return windows === 0 ? null : Math.round((cpuMs / (windows * CORE_MS)) * 10_000) / 10_000;
}

function add(a: number, b: number): number {
  return a + b;
}

function tenths(value: number | null): number | null {
  return value === null ? null : Math.round(value * 10) / 10;
}
