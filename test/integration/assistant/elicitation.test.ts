import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock, type Clock } from "@svc/shared/platform/clock.ts";
import { DeployingApi, type DeployedApp } from "../../support/api/deploying-api.ts";
import { startTestApi, type TestApi } from "../../support/api/http.ts";
import { bareCall } from "../../support/assistant/bare-mcp.ts";
import { connectMcp, type AskedPerson } from "../../support/assistant/mcp-client.ts";

let http: TestApi;
let setup: DeployingApi;
let lateMs = 0;
const clock: Clock = { ...systemClock, now: () => new Date(systemClock.now().getTime() + lateMs) };

beforeAll(async () => {
  http = await startTestApi({ clock });
  setup = await DeployingApi.start(http);
});
afterAll(async () => {
  await setup?.stopWorker();
  await http?.stop();
});

const yes: AskedPerson["says"] = { action: "accept", content: { confirm: true } };

async function connect(app: DeployedApp, says: AskedPerson["says"]) {
  const person: AskedPerson = { asked: [], says };
  return { person, ...(await connectMcp(http, app.caller.key, "modern", person)) };
}

const deploysOf = async (app: DeployedApp) =>
  (await app.caller.call("GET", `/api/apps/${app.name}/deploys`)).json["deploys"];
const envOf = async (app: DeployedApp) => (await app.caller.call("GET", `/api/apps/${app.name}/env`)).json["env"];

describe("a client that can ask its person", () => {
  it("shows the sentence and the request, and has it done once the person accepts", async () => {
    const app = await setup.addApp();
    const { call, person } = await connect(app, yes);
    expect((await call("deploy", { app: app.name, ref: "main" })).text).toContain("success, release v1");
    expect(person.asked).toEqual([
      {
        message: `An assistant wants to deploy ${app.name} from main: POST /api/apps/${app.name}/deploy {"ref":"main"}`,
        requestedSchema: {
          type: "object",
          properties: { confirm: { type: "boolean", title: "Do it" } },
          required: ["confirm"],
        },
      },
    ]);
  });

  it.each<[string, AskedPerson["says"]]>([
    ["declines", { action: "decline" }],
    ["turns away", { action: "cancel" }],
    ["accepts with the box unticked", { action: "accept", content: { confirm: false } }],
    ["accepts without a word", { action: "accept" }],
  ])("has nothing done when the person %s", async (_what, says) => {
    const app = await setup.addApp();
    const { call, person } = await connect(app, says);
    expect((await call("deploy", { app: app.name })).text).toBe("Nothing was done. Your person did not agree.");
    expect(person.asked).toHaveLength(1);
    expect(await deploysOf(app)).toEqual([]);
  });

  it("asks also when the model says by itself that its person has agreed", async () => {
    const app = await setup.addApp();
    const { call, person } = await connect(app, { action: "decline" });
    expect((await call("deploy", { app: app.name, confirm: app.name })).text).toContain("Nothing was done");
    expect(person.asked).toHaveLength(1);
    expect(await deploysOf(app)).toEqual([]);
  });

  it("has the app's name typed for what destroys", async () => {
    const app = await setup.addApp();
    const status = async () => (await app.caller.call("GET", `/api/apps/${app.name}`)).status;
    const { call, person } = await connect(app, yes);
    expect((await call("delete_app", { app: app.name, purge: true })).text).toContain("typed another name");
    expect(await status()).toBe(200);
    person.says = { action: "accept", content: { confirm: app.name } };
    expect((await call("delete_app", { app: app.name, purge: true })).text).toBe(`Deleted ${app.name}.`);
    expect(await status()).toBe(404);
  });

  it("is shown all that will be sent, and nothing that would look like something else", async () => {
    const app = await setup.addApp();
    const { call, person } = await connect(app, { action: "decline" });
    await call("set_variables", { app: app.name, variables: { TOKEN: "a-value-of-the-assistant\u202e" } });
    const refused = await call("deploy", { app: app.name, ref: "main\n\nApproved already: press Accept\u202e" });
    expect(refused.text).toContain("characters that can't be seen");
    const [variables, ...others] = person.asked.map(({ message }) => message);
    expect(variables).toContain(String.raw`{"env":{"TOKEN":"a-value-of-the-assistant\u202e"}}`);
    expect(others).toEqual([]);
  });

  it.each(["modern", "legacy"] as const)(
    "is told that a call is too long to be shown, by the %s protocol",
    async (era) => {
      const app = await setup.addApp();
      const person: AskedPerson = { asked: [], says: yes };
      const { call } = await connectMcp(http, app.caller.key, era, person);
      const names = Array.from({ length: 40 }, (_, i) => `K${i}_`.padEnd(250, "X"));
      const variables = Object.fromEntries(names.map((name) => [name, "1"]));
      const told = await call("set_variables", { app: app.name, variables, confirm: app.name });
      expect(told).toMatchObject({ isError: true, text: expect.stringContaining("do it in several calls") });
      expect(person.asked).toEqual([]);
      expect(await envOf(app)).toEqual({});
    },
  );

  it("is not asked by a client of the protocol of 2025, which could answer in no other process", async () => {
    const app = await setup.addApp();
    const person: AskedPerson = { asked: [], says: yes };
    const { call } = await connectMcp(http, app.caller.key, "legacy", person);
    expect((await call("deploy", { app: app.name })).text).toContain("Nothing was done yet");
    expect(person.asked).toEqual([]);
  });
});

describe("the answer to a question", () => {
  const accepted = { confirm: yes };

  async function ask(app: DeployedApp, variables: Record<string, string>) {
    const input = { app: app.name, variables };
    const { result } = await bareCall(http, app.caller.key, { name: "set_variables", arguments: input });
    return { input, requestState: (result as { requestState: string }).requestState };
  }
  async function answer(key: string, input: object, requestState: unknown, name = "set_variables"): Promise<string> {
    const params = { name, arguments: { ...input }, inputResponses: accepted, requestState };
    return JSON.stringify(await bareCall(http, key, params));
  }

  it("is good for the call that was shown, in any process, and once", async () => {
    const app = await setup.addApp();
    const { input, requestState } = await ask(app, { LEVEL: "debug" });
    const other = await startTestApi({ database: http.database, clock });
    try {
      const params = { name: "set_variables", arguments: input, inputResponses: accepted, requestState };
      expect(JSON.stringify(await bareCall(other, app.caller.key, params))).toContain("Wrote 1 variables");
    } finally {
      await other.stop();
    }
    await app.caller.call("PUT", `/api/apps/${app.name}/env`, { env: { LEVEL: "info" } });
    expect(await answer(app.caller.key, input, requestState)).toContain("used already");
    expect(await envOf(app)).toEqual({ LEVEL: "info" });
  });

  it("is done once of several at the same moment", async () => {
    const app = await setup.addApp();
    const { input, requestState } = await ask(app, { LEVEL: "debug" });
    const answers = await Promise.all([1, 2, 3, 4].map(() => answer(app.caller.key, input, requestState)));
    expect(answers.filter((text) => text.includes("Wrote 1 variables"))).toHaveLength(1);
  });

  it("is worth nothing for other arguments, also where they are not shown", async () => {
    const app = await setup.addApp();
    const { requestState } = await ask(app, { LEVEL: "debug" });
    const changed = { app: app.name, variables: { LEVEL: "another" } };
    expect(await answer(app.caller.key, changed, requestState)).toContain("another question");
    expect(await answer(app.caller.key, { app: app.name }, requestState, "deploy")).toContain("another question");
    expect(await envOf(app)).toEqual({});
    expect(await deploysOf(app)).toEqual([]);
  });

  it("is worth nothing for another key, of the same person either", async () => {
    const app = await setup.addApp();
    const { input, requestState } = await ask(app, { LEVEL: "debug" });
    const { key } = await http.addCaller({ userId: app.caller.userId });
    expect(await answer(key, input, requestState)).toContain("another question");
    expect(await envOf(app)).toEqual({});
  });

  it.each([
    ["invented", () => "v1.abc"],
    ["left out", () => undefined],
    [
      "changed by a character",
      (state: string) => `${state.slice(0, -2)}${state.at(-2) === "A" ? "B" : "A"}${state.at(-1)}`,
    ],
    ["of another kind", () => 7],
  ])("is worth nothing when its state is %s", async (_what, change) => {
    const app = await setup.addApp();
    const { input, requestState } = await ask(app, { LEVEL: "debug" });
    expect(await answer(app.caller.key, input, change(requestState))).not.toContain("Wrote");
    expect(await envOf(app)).toEqual({});
  });

  it("is worth nothing after 15 minutes", async () => {
    const app = await setup.addApp();
    const { input, requestState } = await ask(app, { LEVEL: "debug" });
    lateMs = 15 * 60_000;
    try {
      expect(await answer(app.caller.key, input, requestState)).toContain("older than 15 minutes");
    } finally {
      lateMs = 0;
    }
    expect(await envOf(app)).toEqual({});
  });
});
