import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { silentLogger, type Logger } from "@svc/shared/platform/logger.ts";
import { startTestApi, type Caller, type TestApi } from "../../support/api/http.ts";
import { startTalk, talkOf, type Talk } from "../../support/assistant/talk.ts";
import { inTurn, startModelDouble, type ModelDouble, type ModelReply } from "../../support/doubles/model-double.ts";
import { eventually } from "../../support/tools/eventually.ts";

/** Long enough for a machine that is busy with other tests. */
const TIMING = { silentMs: 1_500, turnMs: 60_000 };

let model: ModelDouble;
let http: TestApi;
let ada: Caller;
let talk: Talk;
/** Everything that was logged. */
const logged: unknown[] = [];

const log: Logger = Object.assign(Object.create(silentLogger) as Logger, {
  warn: (...args: unknown[]) => void logged.push(args),
  error: (...args: unknown[]) => void logged.push(args),
});

async function startHttp(url: string, modelTiming = TIMING): Promise<TestApi> {
  return startTestApi({ model: { url, name: "small-1", key: model.key }, modelTiming, log });
}

beforeAll(async () => {
  model = await startModelDouble();
  http = await startHttp(model.url);
  ada = await http.addCaller();
  await ada.call("POST", "/api/apps", { name: "shop", repo_url: "https://github.com/you/shop" });
});
afterAll(async () => {
  await http?.stop();
  await model?.close();
});
beforeEach(async () => {
  model.requests.length = 0;
  logged.length = 0;
  talk = await startTalk(ada);
});

test.for<[string, ModelReply, string]>([
  ["refuses the key", { status: 401 }, "model_unavailable"],
  ["is in trouble", { status: 500 }, "model_unavailable"],
  ["has too much to do", { status: 429 }, "model_unavailable"],
  ["does not know the model", { status: 404 }, "model_unavailable"],
  ["sends the request elsewhere", { status: 307 }, "model_unavailable"],
  ["never begins", { hangs: "before" }, "model_slow"],
  ["answers something else", { raw: "<html>hello</html>" }, "model_nonsense"],
  ["answers half a chunk", { raw: 'data: {"id":"c1","choi\n\n' }, "model_nonsense"],
  ["answers chunks of another kind", { raw: 'data: {"choices":"many"}\n\ndata: [DONE]\n\n' }, "model_nonsense"],
  ["answers nothing", { raw: "" }, "model_nonsense"],
  ["says nothing", { say: "" }, "model_nonsense"],
  ["goes on and on", { raw: `data: ${"x".repeat(3_000_000)}` }, "model_nonsense"],
  ["calls what is not there", { calls: [{ name: "make_key", arguments: {} }] }, "model_nonsense"],
  ["calls with no JSON", { calls: [{ name: "list_apps", arguments: '{"a": ' }] }, "model_nonsense"],
  ["calls with wrong input", { calls: [{ name: "read_app", arguments: { app: ["shop"] } }] }, "model_nonsense"],
])("a model that %s is told as a problem, and the grammar answers what it understands", async ([, reply, code]) => {
  model.script = () => reply;
  const heard = await talk.say("stop shop");
  expect(heard.problems).toEqual([code]);
  const isBegun = reply.calls !== undefined;
  if (!isBegun) {
    expect(heard.text).toBe("Understood: stop shop.");
    expect(heard.cards).toMatchObject([{ sentence: "stop shop", state: "proposed" }]);
  }
  const unknown = await talk.say("write me a poem");
  expect([unknown.problems, unknown.text]).toEqual([[code], ""]);
  const messages = await talk.messages();
  expect(messages.map(({ role }) => role)).toEqual(["person", "assistant", "person", "assistant"]);
  expect(messages[3]!.parts).toMatchObject([{ type: "problem", code }]);
  expect(JSON.stringify([heard, unknown, messages, logged])).not.toContain(model.key);
});

test("a model that falls silent in the middle of its words keeps them", async () => {
  model.script = () => ({ say: "It is", hangs: "after" });
  const heard = await talk.say("what is it?");
  expect([heard.text, heard.problems]).toEqual(["It is", ["model_slow"]]);
  expect((await talk.messages())[1]!.parts).toMatchObject([
    { type: "text", text: "It is" },
    { type: "problem", detail: "The model said nothing for 1.5 s. Try again, or ask for less at a time." },
  ]);
});

test("a model's words are kept and told whatever characters they have", async () => {
  model.script = () => ({ say: "A \u0000 and half a \ud800 character." });
  expect((await talk.say("what is it?")).problems).toEqual([]);
  expect((await talk.messages())[1]!.parts).toEqual([{ type: "text", text: "A \ufffd and half a \ufffd character." }]);
});

test("a model that writes without an end is stopped", async () => {
  model.script = () => ({ say: "word ".repeat(10_000) });
  const heard = await talk.say("what is it?");
  expect([heard.problems, heard.text.length < 21_000]).toEqual([["model_nonsense"], true]);
});

test("a model that comes to no end in time is stopped, however it goes on", async () => {
  const hurried = await startHttp(model.url, { silentMs: 60_000, turnMs: 2_000 });
  try {
    model.script = () => ({ say: "It is", hangs: "after" });
    const heard = await (await startTalk(await hurried.addCaller())).say("what is it?");
    expect([heard.text, heard.problems]).toEqual(["It is", ["model_slow"]]);
    expect(heard.events.find(({ event }) => event === "problem")?.data["detail"]).toContain("within 2 s");
  } finally {
    await hurried.stop();
  }
});

test("a model that looks again and again is stopped after eight steps", async () => {
  model.script = () => ({ calls: [{ name: "list_apps", arguments: {} }] });
  const heard = await talk.say("what is it?");
  expect([heard.looked.length, heard.problems, model.requests.length]).toEqual([8, ["model_nonsense"], 8]);
});

test("a model that is told of its mistake can mend it", async () => {
  model.script = inTurn(
    { calls: [{ name: "read_app", arguments: { name: "shop" } }] },
    { calls: [{ name: "read_app", arguments: { app: "shop" } }] },
    { say: "It was never deployed." },
  );
  const heard = await talk.say("how is it?");
  expect([heard.looked, heard.text, heard.problems]).toEqual([["read_app"], "It was never deployed.", []]);
  expect(JSON.stringify(model.requests[1]!.messages)).toContain("the input is wrong");
});

test.for(["refuses connections", "closes them at once"])("a model's server that %s is told as that", async (how) => {
  const server = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  if (how === "refuses connections") server.close();
  const away = await startHttp(`http://127.0.0.1:${port}/v1`);
  try {
    const bob = await away.addCaller();
    const heard = await (await startTalk(bob)).say("what runs?");
    expect([heard.problems, heard.looked]).toEqual([["model_unavailable"], ["list_apps"]]);
  } finally {
    await away.stop();
    server.close();
  }
});

test("a person who goes away ends the model's request, and finds what was said", async () => {
  model.script = () => ({ say: "It is", hangs: "after" });
  const before = model.abandoned;
  const answer = await http.api.request(`/api/conversations/${talk.id}/messages`, {
    method: "POST",
    headers: { Authorization: `Bearer ${ada.key}`, "Content-Type": "application/json" },
    body: JSON.stringify({ text: "what is it?" }),
  });
  const reader = answer.body!.getReader();
  let seen = "";
  while (!seen.includes('"is"')) seen += new TextDecoder().decode((await reader.read()).value);
  await reader.cancel();
  await eventually(
    () => model.abandoned,
    (abandoned) => abandoned > before,
    { what: "the model's request has ended" },
  );
  const messages = await eventually(
    () => talk.messages(),
    ([, reply]) => reply?.parts.at(-1)?.type === "problem",
    { what: "the answer has ended" },
  );
  expect(messages[1]!.parts).toMatchObject([
    { type: "text", text: expect.stringContaining("It") },
    { type: "problem", code: "interrupted" },
  ]);
  model.script = () => ({ say: "Again." });
  expect((await talk.say("again")).text).toBe("Again.");
});

test("a process that stops ends its answers, which say so", async () => {
  const stopping = await startTestApi({
    model: { url: model.url, name: "small-1", key: model.key },
    database: http.database,
  });
  const there = talkOf(await callerAt(stopping), talk.id);
  model.script = () => ({ say: "It is", hangs: "after" });
  const heard = there.say("what is it?");
  await eventually(
    () => model.requests.length,
    (count) => count === 1,
    { what: "the model is asked" },
  );
  stopping.closing.abort();
  expect((await heard).problems).toEqual(["interrupted"]);
  await stopping.stop();
  expect((await talk.messages())[1]!.parts.at(-1)).toMatchObject({ type: "problem", code: "interrupted" });
});

test("an answer that a killed process has left open says so, and another one can be asked for", async () => {
  model.script = () => ({ say: "Yes." });
  await talk.say("what is it?");
  const leave =
    "update conversation_messages set open_until = now() + $2::interval where conversation_id = $1 and role = 'assistant'";
  await http.database.query(leave, [talk.id, "1 minute"]);
  expect((await talk.say("again")).error).toBe("turn_in_progress");
  await http.database.query(leave, [talk.id, "-1 second"]);
  expect((await talk.messages())[1]!.parts).toMatchObject([{ text: "Yes." }, { type: "problem", code: "interrupted" }]);
  expect((await talk.say("again")).text).toBe("Yes.");
});

/** The same person at another process. */
async function callerAt(process: TestApi): Promise<Caller> {
  return process.addCaller({ userId: ada.userId });
}
