import { invalid, quoted } from "../domain/invalid.ts";
import { noContent } from "./answer.ts";
import { deployEventStream, isExhausted, type EventStreamParts } from "./deploy-event-stream.ts";
import { route } from "./route.ts";

const HEADERS = {
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-store",
  // Proxies of the nginx family would otherwise hold events back.
  "X-Accel-Buffering": "no",
};

export function deployEventRoutes(parts: EventStreamParts) {
  return [
    route({
      method: "get",
      path: "/api/deploys/{id}/events",
      operationId: "streamDeployEvents",
      summary: "Follow a deploy live",
      description:
        "Server-sent events, numbered from 1: `log` ({lines, dropped}), `progress` ({message}), `step` and `deploy` ({status}). " +
        "The stream ends after the `deploy` event with a terminal status. `Last-Event-ID` resumes after that number.",
      tag: "deploys",
      scope: "deploys:read",
      changes: false,
      subject: "deploy",
      headers: { "Last-Event-ID": "number of the last event that was received" },
      successes: [
        { status: 200, description: "the events", contentType: "text/event-stream" },
        { status: 204, description: "the deploy has ended and nothing comes after Last-Event-ID" },
      ],
      errors: [],
      async handle(_ctx, { subject: deploy, headers, method }) {
        const after = lastEventId(headers);
        if (await isExhausted(parts.db, deploy.id, after)) return noContent;
        // A HEAD request has nobody who would read and so end the stream.
        if (method === "HEAD") return new Response(null, { headers: HEADERS });
        return new Response(deployEventStream(parts, deploy.id, after), { headers: HEADERS });
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
