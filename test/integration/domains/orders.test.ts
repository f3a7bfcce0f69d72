import { createClient, createRouterTransport } from "@connectrpc/connect";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AgentService } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { startTestApi, type TestApi } from "../../support/api/http.ts";

let http: TestApi;

beforeAll(async () => {
  const leadsHere = { leadsHere: true, detail: "", trouble: false };
  http = await startTestApi({
    domainChecks: {
      txt: async () => ({ values: [] }),
      handshake: async () => ({ error: "no certificate yet" }),
      address: async () => leadsHere,
    },
  });
});
afterAll(() => http?.stop());

test("a domain whose owner's share of orders is used up says so, and when it goes on", async () => {
  const ada = await http.addCaller();
  const serverId = await http.addServer("one");
  await ada.call("POST", "/api/apps", { name: "shop", repo_url: "https://git.example.test/a.git" });
  const { query } = http.database;
  await query("update servers set status = $1 where id = $2", [{ proxy: { internalCaPem: "a root" } }, serverId]);
  await query("update apps set server_id = $1, status = 'failed' where name = 'shop'", [serverId]);
  await query("insert into domains (domain, app_id) select 'shop.example.test', id from apps where name = 'shop'");
  const usedUp = "the share of one owner for custom domains, 6 certificates an hour, is used up";
  const nextOrderAt = timestampFromDate(new Date("2030-01-01T00:00:00Z"));
  const transport = createRouterTransport(({ service }) =>
    service(AgentService, { getCertificate: () => ({ failure: "", usedUp, nextOrderAt }) }),
  );
  http.links.clients.set(serverId, createClient(AgentService, transport));

  const { json } = await ada.call("GET", "/api/apps/shop/domains/shop.example.test");
  expect(json).toMatchObject({
    status: "pending",
    missing: expect.arrayContaining([
      {
        part: "certificate",
        detail: `It is not ordered yet: ${usedUp}. Orders go on at 2030-01-01T00:00:00.000Z.`,
      },
    ]),
  });
});
