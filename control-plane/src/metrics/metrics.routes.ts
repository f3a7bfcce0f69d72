import { z } from "@hono/zod-openapi";
import { namedApp } from "../apps/find-app.ts";
import { DEPLOY_STATUSES } from "../deploys/deploy.ts";
import { json } from "../platform/http/answer.ts";
import { route, success } from "../platform/http/route.ts";
import { toMoment } from "../platform/moment.ts";
import { time } from "../platform/http/time-schema.ts";
import { rangeOf, STEPS } from "./app-metrics.ts";
import { readAppMetrics } from "./read-metrics.ts";

const STEP_NAMES = STEPS.map(String) as [string, ...string[]];

const series = (description: string) => z.array(z.number().nullable()).openapi({ description });

const MetricsSchema = z
  .object({
    app: z.string(),
    since: time().openapi({ description: "when the first step begins" }),
    until: time().openapi({ description: "when the last one ends" }),
    step: z.int().openapi({ description: "seconds" }),
    series: z.object({
      requests: series("requests that the proxy answered for the app's hosts"),
      client_errors: series("those with a status of 400 to 499"),
      errors: series("those with a status of 500 and more"),
      latency_p50_ms: series("time until the whole answer was sent, median; null without requests"),
      latency_p99_ms: series("the same, 99th percentile"),
      cpu_cores: series("processors in use on average"),
      memory_bytes: series("the most memory in use at the end of 10 s, without files that the kernel may drop"),
      memory_bytes_max: series("the cap on it; while a deploy replaces a container, of both"),
      network_bytes_in: series("bytes that the app received"),
      network_bytes_out: series("bytes that it sent"),
      restarts: series("how often it was started again after it had ended by itself"),
    }),
    deploys: z
      .array(
        z.object({
          id: z.string().openapi({ format: "uuid" }),
          release: z.string(),
          status: z.enum(DEPLOY_STATUSES),
          finished_at: time(),
        }),
      )
      .openapi({ description: "the newest 100 that ended in the range, oldest first" }),
  })
  .openapi("AppMetrics");

export const metricsRoutes = [
  route({
    method: "get",
    path: "/api/apps/{name}/metrics",
    operationId: "readMetrics",
    summary: "Read what the app used and answered",
    description:
      "Extension. Requests, errors, latency, processors, memory, network and restarts, with a value for each step from `since` on; null where " +
      "the app's server told nothing, which is not 0. Values by 10 s are kept for an hour, by 60 s for a day, by 600 s for 30 days; those " +
      "by 3600 s are added up from them. Steps that have not ended are left out. The app's database is not counted.",
    scope: "apps:read",
    subject: namedApp,
    query: z.strictObject({
      since: z.string().optional().openapi({
        description: "A time (RFC 3339), or how long ago: `90s`, `30m`, `2h`, `7d`; an hour before `until` by default.",
      }),
      until: z.string().optional().openapi({ description: "The same; now by default." }),
      step: z
        .enum(STEP_NAMES, `it must be one of ${STEP_NAMES.join(", ")}.`)
        .transform(Number)
        .optional()
        .openapi({
          type: "integer",
          enum: [...STEPS],
          description: "seconds; by default the smallest that is kept for as long and gives 2,000 values at most",
        }),
    }),
    successes: success(200, "the values, and the deploys that ended meanwhile", MetricsSchema),
    async handle(ctx, { subject: app, query }) {
      const now = ctx.clock.now();
      const { since, until, step } = query;
      const asked = {
        since: since === undefined ? undefined : toMoment("since", since, now),
        until: until === undefined ? undefined : toMoment("until", until, now),
      };
      const range = rangeOf({ ...asked, step }, now);
      const { series, deploys } = await readAppMetrics(ctx, app, range);
      return json(200, {
        app: app.name,
        since: isoTime(range.since),
        until: isoTime(range.until),
        step: range.step,
        series,
        deploys: deploys.map(({ finished_at: finishedAt, ...deploy }) => {
          return Object.assign(deploy, { finished_at: finishedAt.toISOString() });
        }),
      });
    },
  }),
];

function isoTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
