import { randomUUID } from "node:crypto";
import { systemClock } from "@svc/shared/platform/clock.ts";
import { silentLogger } from "@svc/shared/platform/logger.ts";
import { createGuardedFetch, type GuardedFetch } from "@svc/shared/net/guarded-fetch.ts";
import { recordDeployEnd } from "@svc/control-plane/deploys/record-deploy-end.ts";
import { claimDeploy, withClaim, type Claim } from "@svc/control-plane/deploys/deploy-claims.store.ts";
import type { TerminalStatus } from "@svc/control-plane/deploys/deploy.ts";
import { startDeliverer, type WebhookTiming } from "@svc/control-plane/webhooks/deliverer.ts";
import { startTestApi, type Caller, type TestApi } from "./http.ts";
import { startNameServer, type NameServer } from "../doubles/name-server.ts";
import { addDeploy } from "./pipeline.ts";
import { eventually } from "../tools/eventually.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../doubles/webhook-receiver.ts";

/** Short enough for a test, in the proportions of the real ones. */
export const quickTiming: WebhookTiming = {
  timeoutMs: 5_000,
  claimMs: 12_000,
  retryDelayMs: 150,
  pollMs: 100,
  stopGraceMs: 100,
};
/** Where apps are served, for what receivers are told. */
export const appsAddress = { appsDomain: "apps.localhost", appsHttpsPort: 8443 };

export interface RegisteredWebhook {
  id: string;
  secret: string;
}

/** The API, a receiver, a name server, and what the tests of webhooks do with them. */
export interface WebhookWorld {
  http: TestApi;
  ada: Caller;
  receiver: WebhookReceiver;
  names: NameServer;
  /** The addresses that a name leads to, by the n-th question. */
  zone: Map<string, (n: number) => readonly string[]>;
  /** A process that delivers; ended by `tidy`. */
  startWorker(timing?: Partial<WebhookTiming>, outbound?: GuardedFetch): { stop(): Promise<void> };
  /** A name of a new app, of ada's unless another owner is given. */
  addApp(owner?: Caller): Promise<string>;
  /** At the receiver unless another host is given; for one of ada's apps. */
  register(app: string, path: string, host?: string): Promise<RegisteredWebhook>;
  /** A running deploy of the app, in the hands of a worker. */
  claimedDeploy(app: string): Promise<{ deployId: string; claim: Claim }>;
  /** Ends a deploy of the app as the pipeline does. */
  endDeploy(app: string, status: TerminalStatus): Promise<string>;
  deliveriesOf(app: string, webhookId: string): Promise<Record<string, unknown>[]>;
  /** The deliveries, once all of them have ended. */
  finished(app: string, webhookId: string): Promise<Record<string, unknown>[]>;
  /** After each test. */
  tidy(): Promise<void>;
  stop(): Promise<void>;
}

export async function startWebhookWorld(): Promise<WebhookWorld> {
  const receiver = await startWebhookReceiver(["localhost", "hooks.test", "rebinding.test"]);
  const zone: WebhookWorld["zone"] = new Map([["hooks.test", () => ["127.0.0.1"]]]);
  const names = await startNameServer((name, n) => zone.get(name)?.(n));
  const guard = createGuardedFetch({
    allowCidrs: ["127.0.0.1/32"],
    caPem: receiver.caPem,
    dnsServers: [names.address],
  });
  const http = await startTestApi({ outbound: guard });
  const ada = await http.addCaller();
  const { db, query } = http.database;
  const running: { stop(): Promise<void> }[] = [];
  let apps = 0;

  async function addApp(owner = ada): Promise<string> {
    const name = `hooked-${++apps}`;
    await owner.call("POST", "/api/apps", { name, repo_url: "https://git.example.test/team/app.git" });
    return name;
  }

  async function register(app: string, path: string, host = `127.0.0.1:${receiver.port}`): Promise<RegisteredWebhook> {
    const reply = await ada.call("POST", `/api/apps/${app}/webhooks`, { url: `https://${host}${path}` });
    if (reply.status !== 201) throw new Error(`not registered: ${reply.text}`);
    return { id: String(reply.json["id"]), secret: String(reply.json["secret"]) };
  }

  async function claimedDeploy(app: string): Promise<{ deployId: string; claim: Claim }> {
    const { rows } = await query("select id, owner_id from apps where name = $1", [app]);
    const serverId = await http.addServer(`server-${randomUUID()}`);
    const owned = { id: String(rows[0]!["id"]), userId: String(rows[0]!["owner_id"]) };
    const deployId = await addDeploy(db, owned, serverId);
    const claim = await claimDeploy(db, serverId, randomUUID(), { kind: "deploy", leaseMs: 60_000 });
    return { deployId, claim: claim! };
  }

  async function deliveriesOf(app: string, webhookId: string): Promise<Record<string, unknown>[]> {
    const reply = await ada.call("GET", `/api/apps/${app}/webhooks/${webhookId}/deliveries`);
    return reply.json["deliveries"] as Record<string, unknown>[];
  }

  return {
    http,
    ada,
    receiver,
    names,
    zone,
    startWorker(timing = {}, outbound = guard) {
      const { keyRing, notifications } = http;
      const parts = { db, keyRing, notifications, clock: systemClock, log: silentLogger };
      const worker = startDeliverer({ ...parts, outbound, timing: { ...quickTiming, ...timing } });
      running.push(worker);
      return worker;
    },
    addApp,
    register,
    claimedDeploy,
    async endDeploy(app, status) {
      const { deployId, claim } = await claimedDeploy(app);
      await withClaim(db, claim, (trx) => recordDeployEnd(trx, claim, { status }, appsAddress));
      return deployId;
    },
    deliveriesOf,
    finished: (app, webhookId) =>
      eventually(
        () => deliveriesOf(app, webhookId),
        (deliveries) => deliveries.length > 0 && deliveries.every((one) => one["status"] !== "pending"),
        { what: "the deliveries end" },
      ),
    async tidy() {
      await Promise.all(running.splice(0).map((one) => one.stop()));
      receiver.received.length = 0;
    },
    async stop() {
      await http.stop();
      await names.stop();
      await receiver.stop();
    },
  };
}
