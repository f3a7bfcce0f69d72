import { answerOf } from "../api/client.ts";
import type { components } from "../gen/api.ts";
import { sparkline } from "../output/sparkline.ts";
import type { Invocation } from "../command-line/command.ts";
import { textTable } from "@svc/shared/platform/text-table.ts";
import { openApp } from "../project/which-app.ts";

type Metrics = components["schemas"]["AppMetrics"];
type Values = readonly (number | null)[];

/** Characters of a sparkline. */
const SPARK_LENGTH = 30;

/** Shows what the app used and answered in the last hour, or in the time that --since names. */
export async function metrics(invocation: Invocation): Promise<void> {
  const { flags, terminal } = invocation;
  const since = flags.text("since");
  const { name, service } = await openApp(invocation);
  // The service's own clock says what the last hour is.
  const query = since === undefined ? {} : { since };
  const read = await answerOf(
    service,
    service.rest.GET("/api/apps/{name}/metrics", { params: { path: { name }, query } }),
  );
  terminal.result(read, textOf(read, terminal.isLive));
}

function textOf({ app, step, series }: Metrics, isLive: boolean): string {
  if (series.requests.every((value) => value === null)) {
    return `Nothing was counted: ${app} did not run, or its server told nothing.`;
  }
  const cap = lastOf(series.memory_bytes_max);
  const memory = withUnit(series.memory_bytes, mebibytes) + (cap === null ? "" : ` of ${mebibytes(cap)}`);
  const rows: [string, string, Values][] = [
    ["requests", `${sumOf(series.requests)} in all`, series.requests],
    ["errors", `${sumOf(series.errors)} in all`, series.errors],
    ["p99", withUnit(series.latency_p99_ms, (value) => `${Math.round(value)} ms`), series.latency_p99_ms],
    ["cpu", withUnit(series.cpu_cores, (value) => `${value.toFixed(2)} cores`), series.cpu_cores],
    ["memory", memory, series.memory_bytes],
    ["restarts", `${sumOf(series.restarts)} in all`, series.restarts],
  ];
  if (!isLive) return textTable([["", "LATEST"], ...rows.map(([name, latest]) => [name, latest])]);
  const lines = rows.map(([name, latest, values]) => [name, latest, sparkline(values, SPARK_LENGTH)]);
  return textTable([["", "LATEST", `BY ${step} S OR MORE`], ...lines]);
}

function withUnit(values: Values, write: (value: number) => string): string {
  const last = lastOf(values);
  return last === null ? "-" : write(last);
}

function lastOf(values: Values): number | null {
  return values.findLast((value) => value !== null) ?? null;
}

function sumOf(values: Values): number {
  return values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 1024 ** 2)} MiB`;
}
