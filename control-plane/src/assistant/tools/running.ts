import { z } from "@hono/zod-openapi";
import { asData } from "../as-data.ts";
import { answerOf } from "../service.ts";
import { appName, readingTool } from "../tool.ts";

const LINES = { default: 80, max: 200 };
const PER_STEP = { "1h": 60, "24h": 600, "7d": 3600 } as const;

export const runningTools = [
  readingTool({
    name: "read_logs",
    title: "Log of an app",
    description:
      'What an app, or the proxy for it (requests), has written. A query is words, "quoted text", -word, level:error; for ' +
      "requests also status:>=500, method:POST, path:/api/*. Secrets are [REDACTED].",
    operations: ["readLogs"],
    input: z.strictObject({
      app: appName,
      source: z.enum(["container", "requests"]).optional(),
      query: z.string().optional(),
      since: z.string().optional().describe("RFC 3339, or how long ago: 30m, 2h, 7d."),
      lines: z.int().min(1).max(LINES.max).optional(),
    }),
    async run({ service }, { app: name, source, query, since, lines = LINES.default }) {
      const from = source === "requests" ? { source: "access" as const } : {};
      const params = { path: { name }, query: { lines, query, since, ...from } };
      const answer = await answerOf(service.GET("/api/apps/{name}/logs", { params }));
      if (typeof answer === "string") throw new Error("a log that is not followed is no stream");
      return answer.logs === "" ? "There are no such lines." : asData(`the log of ${name}`, answer.logs);
    },
  }),
  readingTool({
    name: "read_metrics",
    title: "Metrics of an app",
    description: "Requests, errors, latency, processors, memory, network and restarts of an app over a time, added up.",
    operations: ["readMetrics"],
    input: z.strictObject({ app: appName, range: z.enum(["1h", "24h", "7d"]).optional() }),
    async run({ service }, { app: name, range = "1h" }) {
      const params = { path: { name }, query: { since: range, step: PER_STEP[range] } };
      const { since, until, series } = await answerOf(service.GET("/api/apps/{name}/metrics", { params }));
      const lines = Object.entries(series).map(([what, values]) => `${what}: ${summaryOf(what, values)}`);
      return [`From ${since} to ${until}:`, ...lines].join("\n");
    },
  }),
];

/** Counts and bytes of a network add up; of everything else the mean and the most are told. */
function summaryOf(what: string, values: readonly (number | null)[]): string {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return "nothing is known";
  const sum = known.reduce((total, value) => total + value, 0);
  if (/^(requests|client_errors|errors|restarts|network)/.test(what)) return `${round(sum)} in all`;
  return `${round(sum / known.length)} on average, ${round(Math.max(...known))} at most`;
}

const round = (value: number): number => Math.round(value * 1000) / 1000;
