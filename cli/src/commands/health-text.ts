import { timeSince } from "../output/ago.ts";
import type { App } from "../api/client.ts";

type Reason = NonNullable<App["health"]["reason"]>;

const REASONS: Readonly<Record<Reason, string>> = {
  crash_loop: "it ends again and again",
  out_of_memory: "it reached its memory limit and ended",
  not_listening: "nothing accepts connections on its port",
  gone: "its container was removed or stopped outside of the platform",
  server_away: "its server has not been heard of",
};

const ADVICE: Readonly<Record<Reason, string>> = {
  crash_loop: "`svc logs` shows its last words.",
  out_of_memory:
    "Ask for more memory in the spec file (resources.memory) when your tier allows more, or make it use less; " +
    "`svc logs` shows its last words.",
  not_listening: "`svc logs` shows what it does; it has to listen on the port in PORT, on all addresses.",
  gone: "Restart it, or deploy it again.",
  server_away: "Its health is unknown until the server is back.",
};

/**
 * Writes health for a table's cell: `healthy`, `unhealthy (crash loop)`, or `-` of an app of which nothing is to be
 * said.
 */
export function healthWord({ health: { state, reason } }: App): string {
  if (reason === null) return state === "unknown" ? "-" : state;
  return `${state} (${reason.replaceAll("_", " ")})`;
}

/** Is undefined of an app that is healthy, or of which nothing is to be said. */
export function healthSentence({ health: { state, reason, since } }: App): string | undefined {
  if (reason === null) return undefined;
  const from = since === null ? "" : ` for ${timeSince(since)}`;
  return `${state === "unhealthy" ? "Unhealthy" : "Health unknown"}${from}: ${REASONS[reason]}. ${ADVICE[reason]}`;
}
