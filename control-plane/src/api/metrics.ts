import { setTimeout as sleep } from "node:timers/promises";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Db } from "../platform/database/database.ts";
import { countOpenDeploys } from "../deploys/deploys.store.ts";
import { countWaitingDeliveries } from "../webhooks/webhook-deliveries.store.ts";
import type { AgentLinks } from "../ports.ts";

export interface HttpMetrics {
  observe(request: { method: string; route: string; status: number; seconds: number }): void;
  /** Text in Prometheus' format; without the counts of rows while the database is away. */
  text(): Promise<string>;
  contentType: string;
}

/** Counting rows is cheap, but not so cheap that anybody may ask for it a thousand times a second. */
const COUNT_MS_MIN = 5_000;
/** A database that is away must not keep the rest of the figures back: whoever asks gives up after some 10 s. */
const COUNT_MS_MAX = 2_000;

/** No figure names an app, a user or a server: whatever on this machine reads them learns of nobody. */
export function createMetrics({ db, links }: { db: Db; links: AgentLinks }): HttpMetrics {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    name: "svc_http_requests_total",
    help: "requests answered",
    labelNames: ["method", "route", "status"],
    registers,
  });
  const durations = new Histogram({
    name: "svc_http_request_seconds",
    help: "time until the answer began",
    labelNames: ["route"],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
    registers,
  });
  const deploys = new Gauge({
    name: "svc_deploys",
    help: "deploys that have not ended, by status",
    labelNames: ["status"],
    registers,
  });
  const queue = new Gauge({ name: "svc_deploy_queue_length", help: "deploys that wait for their server", registers });
  const deliveries = new Gauge({
    name: "svc_webhook_deliveries_waiting",
    help: "webhook deliveries that are to be sent, or sent again",
    registers,
  });
  const linked = new Gauge({ name: "svc_agent_links", help: "agents linked to this process", registers });
  let countedAt = -Infinity;

  async function count(): Promise<void> {
    linked.set(links.linkedServers().length);
    if (performance.now() - countedAt < COUNT_MS_MIN) return;
    countedAt = performance.now();
    const counts = await Promise.race([
      Promise.all([countOpenDeploys(db), countWaitingDeliveries(db)]).catch(() => undefined),
      sleep(COUNT_MS_MAX, undefined, { ref: false }),
    ]);
    if (!counts) {
      // Old counts would pass for new ones.
      deploys.reset();
      queue.remove();
      deliveries.remove();
      return;
    }
    const [openDeploys, waitingDeliveries] = counts;
    for (const status of ["pending", "running"] as const) deploys.set({ status }, openDeploys.get(status) ?? 0);
    queue.set(openDeploys.get("pending") ?? 0);
    deliveries.set(waitingDeliveries);
  }

  return {
    contentType: registry.contentType,
    observe({ method, route, status, seconds }) {
      requests.inc({ method, route, status: String(status) });
      durations.observe({ route }, seconds);
    },
    async text() {
      await count();
      return registry.metrics();
    },
  };
}
