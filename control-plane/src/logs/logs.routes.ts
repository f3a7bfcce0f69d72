import { z } from "@hono/zod-openapi";
import { LOG_QUERY_LENGTH_MAX } from "@svc/shared/rules/log-query/log-query-hints.ts";
import { toLogRange } from "./log-range.ts";
import { searchLogs } from "./search-logs.ts";
import { LogFollowers } from "./follow-logs.ts";
import { invalid } from "../platform/invalid.ts";
import { checkReleaseName, type ReleaseOf } from "../deploys/releases/release.ts";
import { readFormerLog, readLogs } from "./read-logs.ts";
import { requireAgent } from "../fleet/require-agent.ts";
import { isId } from "@svc/shared/rules/ids.ts";
import { namedApp } from "../apps/find-app.ts";
import { json } from "../platform/http/answer.ts";
import { logStream } from "./log-stream.ts";
import { EVENT_STREAM_HEADERS } from "../platform/http/event-stream.ts";
import { route } from "../platform/http/route.ts";
import type { StreamPlaces } from "../platform/http/stream-places.ts";
import { integerParameter } from "../platform/http/validation.ts";

/** The number of lines in an answer. */
const LINES = { min: 1, max: 500, default: 100 };

export interface LogRouteParts {
  places: StreamPlaces;
  /** Is aborted when the process stops. */
  closing: AbortSignal;
  heartbeatMs?: number;
}

export function logRoutes({ places, ...parts }: LogRouteParts) {
  const followers = new LogFollowers();
  return [
    route({
      method: "get",
      path: "/api/apps/{name}/logs",
      operationId: "readLogs",
      summary: "Read the end of the app's container log",
      description:
        "Each line begins with its time in ISO 8601. Every value configured for the app, the database's password and URL, " +
        "and every `svc_` key are `[REDACTED]`. With `follow=1` the answer is a stream of server-sent events: `log` " +
        "({lines, dropped}), then `end` when the container has ended, or `error` ({error, detail}); `still_here` comes while nothing " +
        "else does, every 10 s. With `source=access` the " +
        "lines are the requests that the proxy has answered for the app's hosts. While the platform itself keeps " +
        "the app stopped, one more line at the end, after `[platform]`, says why. `release` or `deploy` reads what the newest " +
        "container of that release, or of that deploy, wrote, also when it failed, was replaced or was killed; " +
        "the last 500 lines, 512 KiB at most, of an app's last 10 containers are kept, for 14 days, until the app is purged. " +
        "Neither goes with `follow=1` or `source=access`. `since`, `until` and `query` search what the app has written in the " +
        "last 7 days, 100 MB compressed at most, whichever containers it had, also when it has none any more; the newest `lines` " +
        "lines that are found are answered. A search that has these, or has looked at 256 MiB or for 5 s, stops there: then " +
        "`continue_until` is the `until` of the next one; it is null when there is nothing before. A query is words, all of which a line " +
        'has to hold in any case of letters, `"quoted text"`, `-word` for lines without it, and `level:error` (`warn`, `info`, ' +
        "`debug`). With `source=access` it has, besides text, `status:404`, `status:>=500`, `method:POST`, `path:/api/*` and " +
        "`host:NAME`, and the newest 4 MiB of requests are searched. None of the three goes with `follow=1`, `release` or `deploy`.",
      scope: "logs:read",
      subject: namedApp,
      query: z.strictObject({
        lines: integerParameter(LINES),
        follow: z.enum(["0", "1"], "it must be 0 or 1.").optional(),
        source: z.enum(["container", "access"], "it must be container or access.").optional(),
        release: z.string().optional(),
        deploy: z.string().refine(isId, "it must be the id of a deploy.").openapi({ format: "uuid" }).optional(),
        since: z
          .string()
          .openapi({ description: "From this time on (RFC 3339), or how long ago: `90s`, `30m`, `2h`, `7d`." })
          .optional(),
        until: z.string().openapi({ description: "Up to and without this time, or how long ago." }).optional(),
        query: z
          .string()
          .openapi({ description: "Which lines: words and fields.", maxLength: LOG_QUERY_LENGTH_MAX })
          .optional(),
      }),
      successes: {
        status: 200,
        description: "the lines, oldest first, joined by `\\n`",
        schema: z.object({
          app: z.string(),
          logs: z.string(),
          continue_until: z
            .string()
            .nullable()
            .openapi({ format: "date-time", description: "Of a search: the `until` of the next one, or null." })
            .optional(),
          since: z
            .string()
            .openapi({ format: "date-time", description: "Of a search with `since`: that time, for the next one." })
            .optional(),
        }),
        contentType: "text/event-stream",
      },
      errors: ["never_deployed", "agent_away", "agent_too_old", "too_many_streams"],
      async handle(ctx, { subject: app, query, method }) {
        const lines = query.lines ?? LINES.default;
        const source = query.source ?? "container";
        const of = formerLogOf(query);
        if (isSearch(query)) {
          const range = toLogRange(query, ctx.clock.now());
          const found = await searchLogs(ctx, app, { ...range, lines, source, query: query.query ?? "" });
          return json(200, {
            app: app.name,
            logs: found.lines.join("\n"),
            continue_until: found.continueUntil,
            ...(query.since === undefined ? {} : { since: range.since.toISOString() }),
          });
        }
        if (of) return json(200, { app: app.name, logs: (await readFormerLog(ctx, app, { lines, of })).join("\n") });
        if (query.follow !== "1") {
          return json(200, { app: app.name, logs: (await readLogs(ctx, app, { lines, source })).join("\n") });
        }
        // A failure before the first line is answered as an error, not as a stream.
        if (app.server_id !== null) await requireAgent(ctx, app.server_id);
        // A HEAD request has nobody who would read and so end the stream.
        if (method === "HEAD") return new Response(null, { headers: EVENT_STREAM_HEADERS });
        const onEnd = places.take({ userId: ctx.actor.userId, appId: app.id });
        const stream = logStream({ ...parts, onEnd }, (signal) =>
          followers.follow(ctx, app, { lines, source, signal }),
        );
        return new Response(stream, { headers: EVENT_STREAM_HEADERS });
      },
    }),
  ];
}

interface LogQuery {
  follow?: "0" | "1" | undefined;
  source?: "container" | "access" | undefined;
  release?: string | undefined;
  deploy?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
  query?: string | undefined;
}

/** @throws SvcError invalid_request */
function isSearch({ since, until, query, follow, release, deploy }: LogQuery): boolean {
  if (since === undefined && until === undefined && query === undefined) return false;
  if (follow !== "1" && release === undefined && deploy === undefined) return true;
  throw invalid("`since`, `until` and `query` search what is stored; leave out `follow`, `release` and `deploy`.");
}

/** @throws SvcError invalid_request */
function formerLogOf({ follow, source, release, deploy }: LogQuery): ReleaseOf | undefined {
  if (release === undefined && deploy === undefined) return undefined;
  if (release !== undefined && deploy !== undefined) throw invalid("Give `release` or `deploy`, not both.");
  if (follow === "1") throw invalid("`follow` reads what the app writes; leave it out with `release` or `deploy`.");
  if (source === "access") throw invalid("`source=access` goes with neither `release` nor `deploy`: leave one out.");
  if (deploy !== undefined) return { deployId: deploy };
  checkReleaseName(release!);
  return { release: release! };
}
