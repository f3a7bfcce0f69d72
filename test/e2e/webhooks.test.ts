import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startNameServer, type NameServer } from "../support/doubles/name-server.ts";
import { startPlatform, type Platform } from "../support/platform/platform.ts";
import { eventually } from "../support/tools/eventually.ts";
import { isSigned, startWebhookReceiver, type WebhookReceiver } from "../support/doubles/webhook-receiver.ts";

let receiver: WebhookReceiver;
let names: NameServer;
let platform: Platform;
const directory = mkdtempSync(join(tmpdir(), "svc-webhooks-"));

beforeAll(async () => {
  receiver = await startWebhookReceiver(["hooks.test"]);
  names = await startNameServer((name) => (name === "hooks.test" ? ["127.0.0.1"] : undefined));
  const caFile = join(directory, "receiver-ca.pem");
  writeFileSync(caFile, receiver.caPem);
  platform = await startPlatform({
    controlPlane: {
      SVC_OUTBOUND_ALLOW: "127.0.0.1/32",
      SVC_OUTBOUND_CA_FILE: caFile,
      SVC_DNS_SERVERS: names.address,
    },
  });
});
afterAll(async () => {
  await platform?.stop();
  await names?.stop();
  await receiver?.stop();
  rmSync(directory, { recursive: true });
});

test("a deploy's end reaches its receiver, signed, as the operator's configuration allows", async () => {
  const repo_url = "https://127.0.0.1:1/nothing/here.git";
  await platform.api("POST", "/api/apps", { name: "told", repo_url });
  const url = `https://hooks.test:${receiver.port}/told`;
  const created = await platform.api("POST", "/api/apps/told/webhooks", { url });
  expect(created.status).toBe(201);
  const { id, secret } = created.body as { id: string; secret: string };
  for (const refused of ["https://127.0.0.2/", "https://elsewhere.test/", "https://169.254.169.254/"]) {
    expect((await platform.api("POST", "/api/apps/told/webhooks", { url: refused })).status).toBe(400);
  }

  const { deploy } = await platform.deploy("told");
  expect(deploy.status).toBe("failed");
  const [request] = await receiver.arrived("/told", 1);
  expect(isSigned(request!, secret)).toBe(true);
  expect(JSON.parse(request!.body.toString())).toEqual({
    event: "deploy.failed",
    app: "told",
    deploy_id: deploy.id,
    status: "failed",
    url: `https://told.apps.localhost:${platform.httpsPort}`,
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
  });
  const delivered = await eventually(
    async () => {
      const { body } = await platform.api("GET", `/api/apps/told/webhooks/${id}/deliveries`);
      return (body as { deliveries: { status: string }[] }).deliveries[0];
    },
    (delivery) => delivery !== undefined && delivery.status !== "pending",
    { what: "the record" },
  );
  expect(delivered).toMatchObject({ event: "deploy.failed", status: "delivered", attempts: 1, deploy_id: deploy.id });
});
