import type { Metrics } from "../../client/answers.ts";
import { BYTE_STEPS, bytes, cores, COUNT_STEPS, count, milliseconds, type Amount } from "./amount.ts";

/** The color and the line of a series; `bad` and `quiet` are told apart by their lines as well. */
export type Look = "main" | "bad" | "quiet";

export interface Line {
  label: string;
  look: Look;
  values: readonly (number | null)[];
}

/** A chart with its lines. */
export interface Fact {
  title: string;
  amount: Amount;
  /** Differences that there may be between lines of the chart; undefined for any. */
  steps: readonly number[] | undefined;
  lines: readonly Line[];
  /** The values as one: of counts their sum, else the newest and the largest. */
  summary: string;
}

/** The charts of the page, from the top. */
export function factsOf({ series }: Metrics): Fact[] {
  const main = (label: string, values: Line["values"]): Line => ({ label, look: "main", values });
  const bad = (label: string, values: Line["values"]): Line => ({ label, look: "bad", values });
  const quiet = (label: string, values: Line["values"]): Line => ({ label, look: "quiet", values });
  return [
    counted("Requests", [main("requests", series.requests)]),
    counted("Errors", [bad("status 500 and more", series.errors), quiet("status 400 to 499", series.client_errors)]),
    measured("Latency", milliseconds, [
      main("median", series.latency_p50_ms),
      bad("99th percentile", series.latency_p99_ms),
    ]),
    measured("Processors", cores, [main("in use", series.cpu_cores)]),
    measured("Memory", bytes, [main("in use", series.memory_bytes), quiet("cap", series.memory_bytes_max)]),
    counted("Restarts", [bad("restarts", series.restarts)]),
    counted("Network", [main("received", series.network_bytes_in), quiet("sent", series.network_bytes_out)], bytes),
  ];
}

function counted(title: string, lines: readonly Line[], amount: Amount = count): Fact {
  const parts = lines.map(({ label, values }) => {
    const total = sumOf(values);
    return `${label}: ${total === null ? "none known" : `${amount(total)} in all`}`;
  });
  return { title, amount, steps: amount === bytes ? BYTE_STEPS : COUNT_STEPS, lines, summary: parts.join(", ") };
}

function measured(title: string, amount: Amount, lines: readonly Line[]): Fact {
  const parts = lines.map(({ label, values }) => {
    const known = values.filter((value) => value !== null);
    if (known.length === 0) return `${label}: none known`;
    return `${label}: ${amount(known.at(-1)!)} last, ${amount(known.reduce((a, b) => Math.max(a, b)))} at most`;
  });
  return { title, amount, steps: amount === bytes ? BYTE_STEPS : undefined, lines, summary: parts.join(", ") };
}

/** Null when no value is known. */
export function sumOf(values: Line["values"]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((a, b) => a + b, 0);
}
