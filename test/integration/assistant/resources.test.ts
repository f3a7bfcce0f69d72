import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DeployingApi } from "../../support/api/deploying-api.ts";
import { startTestApi, type TestApi } from "../../support/api/http.ts";
import { connectMcp } from "../../support/assistant/mcp-client.ts";

let http: TestApi;
let setup: DeployingApi;

beforeAll(async () => {
  http = await startTestApi();
  setup = await DeployingApi.start(http);
});
afterAll(async () => {
  await setup?.stopWorker();
  await http?.stop();
});

describe("apps as resources", () => {
  it.each(["modern", "legacy"] as const)(
    "are listed, completed and read as the tool tells of them, by the %s protocol",
    async (era) => {
      const app = await setup.addApp();
      const { client, call } = await connectMcp(http, app.caller.key, era);
      const uri = `svc://apps/${app.name}`;
      const { resources } = await client.listResources();
      expect(resources.map((one) => one.uri)).toEqual(["svc://openapi.json", uri]);
      expect((await client.listResourceTemplates()).resourceTemplates).toMatchObject([
        { uriTemplate: "svc://apps/{name}" },
      ]);
      const ref = { type: "ref/resource", uri: "svc://apps/{name}" } as const;
      const completed = async (value: string) =>
        (await client.complete({ ref, argument: { name: "name", value } })).completion.values;
      expect(await completed(app.name.slice(0, 3))).toEqual([app.name]);
      expect(await completed("~")).toEqual([]);
      const told = (await call("read_app", { app: app.name })).text;
      expect((await client.readResource({ uri })).contents).toEqual([{ uri, mimeType: "text/plain", text: told }]);
    },
  );

  it("are there for the scopes of the tool alone", async () => {
    const app = await setup.addApp();
    const uri = `svc://apps/${app.name}`;
    for (const scopes of [["apps:read"], ["deploys:read"], ["logs:read", "env:read"]]) {
      const { key } = await http.addCaller({ userId: app.caller.userId, scopes });
      const { client } = await connectMcp(http, key);
      expect((await client.listResources()).resources.map((one) => one.uri)).toEqual(["svc://openapi.json"]);
      await expect(client.readResource({ uri })).rejects.toThrow(/not found/i);
    }
    const { key } = await http.addCaller({ userId: app.caller.userId, scopes: ["apps:read", "deploys:read"] });
    const { client } = await connectMcp(http, key);
    expect((await client.readResource({ uri })).contents).toHaveLength(1);
  });

  it("of another owner are neither listed nor completed nor read", async () => {
    const app = await setup.addApp();
    const { key } = await http.addCaller();
    const { client } = await connectMcp(http, key);
    expect((await client.listResources()).resources).toHaveLength(1);
    const ref = { type: "ref/resource", uri: "svc://apps/{name}" } as const;
    const { completion } = await client.complete({ ref, argument: { name: "name", value: "" } });
    expect(completion.values).toEqual([]);
    await expect(client.readResource({ uri: `svc://apps/${app.name}` })).rejects.toThrow(/not_found/);
  });

  it.each(["svc://apps/..", "svc://apps/a%2F..%2Fb", "svc://apps/A", "svc://apps/a?purge=1", "svc://apps/"])(
    "can't be led to another path: %s",
    async (uri) => {
      const { key } = await http.addCaller();
      const { client } = await connectMcp(http, key);
      await expect(client.readResource({ uri })).rejects.toThrow(/not found|names no app/i);
    },
  );
});
