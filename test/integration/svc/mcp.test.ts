import { once } from "node:events";
import { spawn } from "node:child_process";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Client, type ElicitResult } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { Step } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { TOOLS } from "@svc/control-plane/assistant/table.ts";
import { DeployingApi } from "../../support/api/deploying-api.ts";
import { SVC } from "../../support/platform/bundles.ts";
import { startSvcWorld, type SvcWorld } from "../../support/svc/svc-world.ts";
import { freePort } from "../../support/tools/free-ports.ts";

let world: SvcWorld;
let setup: DeployingApi;
const clients: Client[] = [];

beforeAll(async () => {
  world = await startSvcWorld();
  setup = await DeployingApi.start(world.http);
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});
afterAll(async () => {
  await setup?.stopWorker();
  await world?.stop();
});

const environment = (more: Record<string, string>): Record<string, string> => ({
  PATH: process.env["PATH"] ?? "/usr/bin:/bin",
  HOME: world.user.home,
  ...more,
});

/** The official client, which starts `svc mcp` and talks to it. */
async function connect(
  env: Record<string, string>,
  era: "auto" | "legacy" = "auto",
  answer?: (message: string) => Promise<ElicitResult>,
): Promise<Client> {
  const capabilities = answer ? { elicitation: { form: {} } } : {};
  const client = new Client(
    { name: "desk-assistant", version: "4.2" },
    { versionNegotiation: { mode: era }, capabilities },
  );
  if (answer) client.setRequestHandler("elicitation/create", ({ params }) => answer(params.message));
  const parts = { command: process.execPath, args: [SVC, "mcp"], env: environment(env), stderr: "pipe" as const };
  await client.connect(new StdioClientTransport(parts));
  clients.push(client);
  return client;
}

async function callText(client: Client, name: string, input: Record<string, unknown>): Promise<string> {
  const { content } = await client.callTool({ name, arguments: input });
  return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

/** Runs `svc mcp` with these lines on its standard input. */
async function runLines(lines: readonly string[], env: Record<string, string>, argv: readonly string[] = []) {
  const child = spawn(process.execPath, [SVC, "mcp", ...argv], { env: environment(env), stdio: "pipe" });
  child.stdin.on("error", () => undefined);
  child.stdin.end(lines.map((line) => `${line}\n`).join(""));
  const [[status], stdout, stderr] = await Promise.all([once(child, "close"), text(child.stdout), text(child.stderr)]);
  return { status: status as number, stdout, stderr };
}

describe("svc mcp", () => {
  it.each(["auto", "legacy"] as const)("serves the tools of the key and deploys, by the %s protocol", async (era) => {
    const app = await setup.addApp();
    const client = await connect({ SVC_URL: world.url, SVC_API_KEY: app.caller.key }, era);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
    const told = await callText(client, "deploy", { app: app.name, ref: "main", confirm: app.name });
    expect(told).toContain("success, release v1");
    const { rows } = await world.http.database.query(
      "select detail from audit_log where action = 'deploy.start' order by id desc limit 1",
    );
    expect(rows[0]).toMatchObject({ detail: { via: "mcp desk-assistant/4.2 via svc" } });
  });

  it("has the person asked who sits in front of the client", async () => {
    const app = await setup.addApp();
    const asked: string[] = [];
    const client = await connect({ SVC_URL: world.url, SVC_API_KEY: app.caller.key }, "auto", async (message) => {
      asked.push(message);
      return { action: "accept", content: { confirm: true } };
    });
    expect(await callText(client, "set_variables", { app: app.name, variables: { A: "1" } })).toContain("Wrote 1");
    expect(asked).toEqual([expect.stringContaining(`set A of ${app.name}`)]);
  });

  it("reads a resource, whose name the protocol repeats in a header", async () => {
    const client = await connect({ SVC_URL: world.url, SVC_API_KEY: world.caller.key });
    const { contents } = await client.readResource({ uri: "svc://openapi.json" });
    expect(contents[0]).toMatchObject({ uri: "svc://openapi.json", text: expect.stringContaining("openapi") });
  });

  it("says that the key is refused, and goes on with the key that svc login stores meanwhile", async () => {
    const caller = await world.http.addCaller();
    const login = (key: string) =>
      world.user.svc(["login", world.url, "--key", key], { env: { SVC_URL: "", SVC_API_KEY: "" } });
    expect(await login(caller.key)).toMatchObject({ status: 0 });
    const client = await connect({});
    await world.http.database.query("update api_keys set revoked_at = now() where id = $1", [caller.keyId]);
    await expect.poll(() => callText(client, "list_apps", {}).catch(String)).toMatch(/refuses the API key.*svc login/s);
    expect(await login(world.caller.key)).toMatchObject({ status: 0 });
    expect(await callText(client, "list_apps", {})).toContain("There are no apps");
  });

  it("says that the service is away, and answers the next call when it is back", async () => {
    const client = await connect({ SVC_URL: world.url, SVC_API_KEY: world.caller.key });
    expect((await client.listTools()).tools).not.toEqual([]);
    await world.goAway();
    await expect(callText(client, "list_apps", {})).rejects.toThrow(/could not be reached|broke off/);
    await world.comeBack();
    expect(await callText(client, "list_apps", {})).toContain("There are no apps");
  });

  it("writes nothing but messages of the protocol, whatever is on its input, and ends with its input", async () => {
    const env = { SVC_URL: world.url, SVC_API_KEY: world.caller.key };
    const ping = JSON.stringify({ jsonrpc: "2.0", id: "p", method: "ping" });
    const none = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/none" });
    const { status, stdout, stderr } = await runLines(["not JSON", "", "[1]", '"x"', none, ping], env);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const messages = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(messages.every(({ jsonrpc }) => jsonrpc === "2.0")).toBe(true);
    const byId = Map.groupBy(messages, ({ id }) => id);
    expect(byId.get(null)?.map(({ error }) => (error as { code: number }).code)).toEqual([-32_700, -32_600, -32_600]);
    expect(byId.get("p")).toMatchObject([{ result: {} }]);
    expect(byId.get(7)).toMatchObject([{ error: { code: -32_601 } }]);
  });

  it("gives up a call that the client cancels, and answers the others", async () => {
    const app = await setup.addApp();
    setup.agent.script(Step.CLONE_BUILD, { outcome: "hang" }, {});
    const lines = [
      { id: 1, method: "tools/call", params: { name: "deploy", arguments: { app: app.name, confirm: app.name } } },
      { method: "notifications/cancelled", params: { requestId: 1 } },
      { id: 2, method: "ping" },
    ];
    const { status, stdout } = await runLines(
      lines.map((line) => JSON.stringify({ jsonrpc: "2.0", ...line })),
      { SVC_URL: world.url, SVC_API_KEY: app.caller.key },
    );
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ jsonrpc: "2.0", id: 2, result: {} });
  });

  it("answers each request with why it was not done, and no notification", async () => {
    const env = { SVC_URL: `http://127.0.0.1:${await freePort()}`, SVC_API_KEY: world.caller.key };
    const lines = [{ id: 1, method: "tools/list" }, { method: "notifications/initialized" }];
    const { status, stdout, stderr } = await runLines(
      lines.map((line) => JSON.stringify({ jsonrpc: "2.0", ...line })),
      env,
    );
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ id: 1, error: { message: expect.stringContaining("ECONNREFUSED") } });
    expect(stderr).toContain("could not be reached");
  });

  describe("in front of what is not the service", () => {
    /** Lists the tools there. */
    async function listAt(answer: (res: ServerResponse) => void) {
      const server = createServer((_, res) => answer(res));
      await once(server.listen(0, "127.0.0.1"), "listening");
      try {
        const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
        const line = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
        return (await runLines([line], { SVC_URL: url, SVC_API_KEY: world.caller.key })).stdout;
      } finally {
        server.closeAllConnections();
        server.close();
      }
    }
    const json = (text: string) => (res: ServerResponse) =>
      void res.writeHead(200, { "Content-Type": "application/json" }).end(text);
    /** Sends on until nobody reads any more. */
    const endless = (type: string, piece: string) => (res: ServerResponse) => {
      res.writeHead(200, { "Content-Type": type });
      const more = (): void => {
        while (!res.destroyed && res.write(piece));
      };
      res.on("drain", more);
      more();
    };

    it("writes one line, for readers that end a line elsewhere too", async () => {
      const text = "a\u2028b\u2029c\u0085d";
      const stdout = await listAt(json(JSON.stringify({ jsonrpc: "2.0", id: 1, result: { text } })));
      expect(stdout).not.toMatch(/[\u0085\u2028\u2029]/);
      expect(JSON.parse(stdout)).toEqual({ jsonrpc: "2.0", id: 1, result: { text } });
    });

    it("lets no answer be another request's", async () => {
      const stdout = await listAt(json(JSON.stringify({ jsonrpc: "2.0", id: 7, result: {} })));
      expect(JSON.parse(stdout)).toMatchObject({ id: 1, error: { message: expect.stringContaining("ended before") } });
    });

    it.each([
      ["answer", "application/json", "x".repeat(65_536)],
      ["line", "text/event-stream", "x".repeat(65_536)],
      ["event", "text/event-stream", `data: ${"x".repeat(65_536)}\n`],
    ])("gives up what does not end: an endless %s", async (_what, type, piece) => {
      expect(JSON.parse(await listAt(endless(type, piece)))).toMatchObject({
        id: 1,
        error: { message: expect.stringContaining("does not end") },
      });
    });
  });

  it("says that nobody knows what became of a call whose connection breaks off", async () => {
    const server = createServer(({ socket }) => socket.destroy()).listen(0, "127.0.0.1");
    await once(server, "listening");
    const call = {
      id: 1,
      method: "tools/call",
      params: { name: "deploy", arguments: { app: "shop", confirm: "shop" } },
    };
    const env = {
      SVC_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      SVC_API_KEY: world.caller.key,
    };
    const { stdout } = await runLines([JSON.stringify({ jsonrpc: "2.0", ...call })], env);
    server.close();
    expect(JSON.parse(stdout)).toMatchObject({
      id: 1,
      error: { message: expect.stringMatching(/broke off.*not known whether the call was done/) },
    });
  });

  it("ends at once, in words on standard error, where it has no key", async () => {
    const { status, stdout, stderr } = await runLines([], { HOME: "/nowhere", SVC_URL: world.url });
    expect({ status, stdout }).toEqual({ status: 3, stdout: "" });
    expect(stderr).toContain("There is no API key for");
  });
});
