import { invalid, quoted } from "../../platform/invalid.ts";
import { noContent } from "../../platform/http/answer.ts";
import type { Db } from "../../platform/database/database.ts";
import type { Notifications } from "../../ports.ts";
import { deployEventStream, eventStreamTiming, type EventStreamTiming } from "./deploy-event-stream.ts";
import { DeployFeeds, isExhausted } from "./deploy-feeds.ts";
import { namedDeploy } from "../find-deploy.ts";
import { EVENT_STREAM_HEADERS } from "../../platform/http/event-stream.ts";
import { route, success } from "../../platform/http/route.ts";
import type { StreamPlaces } from "../../platform/http/stream-places.ts";

export interface DeployEventParts {
  db: Db;
  notifications: Notifications;
  places: StreamPlaces;
  /** Is aborted when the process stops. */
  closing: AbortSignal;
  timing?: EventStreamTiming;
}

export function deployEventRoutes({ timing = eventStreamTiming, ...parts }: DeployEventParts) {
  const { db, notifications, places, closing } = parts;
  const { pollMs, heartbeatMs } = timing;
  const feeds = new DeployFeeds({ db, notifications, pollMs });
  return [
    route({
      method: "get",
      path: "/api/deploys/{id}/events",
      operationId: "streamDeployEvents",
      summary: "Follow a deploy live",
      description:
        "Server-sent events, numbered from 1 upwards: `log` ({lines, dropped}), `progress` ({message}), `step` and `deploy` ({status}). " +
        "The stream ends after the `deploy` event with a terminal status; a deploy that fails within 30 s after it went " +
        "live has one more, `taken_back`, as in the deploy. `Last-Event-ID` resumes after that number. A log " +
        "that is too fast or too long loses lines: `dropped` says how many, and numbers go on rising. While nothing else comes, " +
        "`still_here` does every 10 s, without a number.",
      scope: "deploys:read",
      subject: namedDeploy,
      headers: { "Last-Event-ID": "number of the last event that was received" },
      successes: [
        { status: 200, description: "the events", contentType: "text/event-stream" },
        success(204, "the deploy has ended and nothing comes after Last-Event-ID"),
      ],
      errors: ["too_many_streams"],
      async handle({ actor }, { subject: deploy, headers, method }) {
        const after = lastEventId(headers);
        if (await isExhausted(db, deploy.id, after)) return noContent;
        // A HEAD request has nobody who would read and so end the stream.
        if (method === "HEAD") return new Response(null, { headers: EVENT_STREAM_HEADERS });
        const onEnd = places.take({ userId: actor.userId, appId: deploy.app_id });
        const stream = deployEventStream({ feeds, heartbeatMs, closing, onEnd }, deploy.id, after);
        return new Response(stream, { headers: EVENT_STREAM_HEADERS });
      },
    }),
  ];
}

/** @throws SvcError invalid_request */
function lastEventId(headers: Headers): string {
  const value = headers.get("Last-Event-ID") ?? "0";
  // 18 digits fit into a bigint.
  if (!/^[0-9]{1,18}$/.test(value))
    throw invalid(`Last-Event-ID is ${quoted(value)}; it must be the number of an event.`);
  return value;
}
