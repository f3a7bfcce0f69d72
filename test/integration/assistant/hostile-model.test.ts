import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestApi, type Caller, type TestApi } from "../../support/api/http.ts";
import { startTalk, type HeardTurn, type Talk } from "../../support/assistant/talk.ts";
import { lastOf, startModelDouble, type ModelDouble } from "../../support/doubles/model-double.ts";
import { eventually } from "../../support/tools/eventually.ts";

let model: ModelDouble;
let http: TestApi;
let ada: Caller;
let talk: Talk;
let shops = 0;
let shop: string;

beforeAll(async () => {
  model = await startModelDouble();
  http = await startTestApi({ model: { url: model.url, name: "small-1", key: model.key } });
});
afterAll(async () => {
  await http?.stop();
  await model?.close();
});
beforeEach(async () => {
  model.requests.length = 0;
  model.bodies.length = 0;
  ada = await http.addCaller();
  shop = `shop-${++shops}`;
  await ada.call("POST", "/api/apps", { name: shop, repo_url: "https://github.com/you/shop" });
  talk = await startTalk(ada);
});

/** The model makes the calls, and says something once it is told what came of them. */
function call(...calls: { name: string; arguments: object | string }[]): void {
  model.script = (request) => (lastOf(request).role === "user" ? { calls, tokens: 10 } : { say: "Well.", tokens: 10 });
}

const isBegun = async (): Promise<boolean> => (await talk.messages())[1]?.parts.length === 0;

describe("a card", () => {
  it.each([
    ["turns the order around", "main\u202e"],
    ["has no look", "ma\u200bin"],
    ["is a space of another kind", "main\u00a0and\u00a0nothing\u00a0else"],
    ["ends a line", "main\nbody"],
    ["is too much to read", "m".repeat(256)],
  ])("shows no name in which something %s, and the model is told", async (_what, text) => {
    for (const wrong of [
      { name: "deploy", arguments: { app: shop, ref: text } },
      { name: "roll_back", arguments: { app: shop, release: text } },
      { name: "create_app", arguments: { app: "another", repo_url: `https://github.com/you/${text}` } },
    ]) {
      call(wrong);
      const heard = await talk.say("do it");
      expect([heard.cards, heard.text]).toEqual([[], "Well."]);
      expect(JSON.stringify(model.requests.at(-1)!.messages)).toContain("the input is wrong");
    }
  });

  it("says which values are not the person's own, and shows those alone", async () => {
    const variables = {
      LEVEL: "«value 1»",
      PROXY: "http://elsewhere.example",
      MIXED: "http://elsewhere.example/«value 1»",
    };
    call({ name: "set_variables", arguments: { app: shop, variables } });
    const heard = await talk.say("set LEVEL=debug");
    const [card] = heard.cards;
    expect(card!.sentence).toBe(
      `set LEVEL, PROXY, MIXED of ${shop} (the value of PROXY, MIXED is the assistant's, not yours)`,
    );
    expect(card!.requests).toEqual([
      {
        method: "PUT",
        path: `/api/apps/${shop}/env`,
        body: { env: { ...variables, LEVEL: "…" } },
      },
    ]);
  });

  it("is not made of a value that a placeholder makes too long", async () => {
    const text = "«value 1»".repeat(1_000);
    call({ name: "set_variables", arguments: { app: shop, variables: { A: text } } });
    const heard = await talk.say(`set A=${"x".repeat(3_000)}`);
    expect([heard.cards, heard.text]).toEqual([[], "Well."]);
    expect(JSON.stringify(model.requests.at(-1)!.messages)).toContain("more than 8192 bytes");
  });
});

it.each([
  ["long input", { query: "x".repeat(30_000) }],
  ["many names", Object.fromEntries(Array.from({ length: 3_000 }, (_, number) => [`name-${number}`, number]))],
])("calls with %s are told as a problem, and are not kept", async (_what, more) => {
  call({ name: "read_logs", arguments: { app: shop, ...more } });
  const heard = await talk.say("what is it?");
  expect([heard.problems, heard.looked]).toEqual([["model_nonsense"], []]);
  const { rows } = await http.database.query(
    "select max(length(parts::text)) as length from conversation_messages where conversation_id = $1",
    [talk.id],
  );
  expect(Number(rows[0]!["length"])).toBeLessThan(1_000);
});

describe("the day's tokens", () => {
  const tokensLeft = async (): Promise<number> => {
    const { limits } = (await ada.call("GET", "/api/chat")).json as { limits: { tokens_left: number } };
    return limits.tokens_left;
  };

  it.each([-1_000_000, 1.5, 1e15])(
    "are not given back, and not lost, when the model says that it took %d",
    async (tokens) => {
      model.script = () => ({ say: "Yes.", tokens: 1_000 });
      await talk.say("is it up?");
      const before = await tokensLeft();
      model.script = () => ({ say: "Yes.", tokens });
      const heard = await talk.say("is it up?");
      expect([heard.text, heard.problems]).toEqual(["Yes.", []]);
      expect(await tokensLeft()).toBeLessThan(before);
      expect(await tokensLeft()).toBeGreaterThan(before - 50_000);
    },
  );

  it("are taken also when the person goes before the model's first word", async () => {
    const before = await tokensLeft();
    model.script = () => ({ hangs: "before" });
    const answer = await http.api.request(`/api/conversations/${talk.id}/messages`, {
      method: "POST",
      headers: { Authorization: `Bearer ${ada.key}`, "Content-Type": "application/json" },
      body: JSON.stringify({ text: "what is it?" }),
    });
    await eventually(
      () => model.requests.length,
      (count) => count === 1,
      { what: "the model is asked" },
    );
    await answer.body!.cancel();
    await eventually(isBegun, (begun) => !begun, { what: "the answer has ended" });
    expect(await tokensLeft()).toBeLessThan(before - 1_000);
  });
});

it("of cards in ten conversations that are clicked at once, five are answered at most", async () => {
  const shown = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const own = await startTalk(ada);
      return { own, card: undefined as HeardTurn["cards"][number] | undefined };
    }),
  );
  call({ name: "set_variables", arguments: { app: shop, variables: { A: "«value 1»" } } });
  for (const each of shown) each.card = (await each.own.say("set A=1")).cards[0];
  model.script = () => ({ hangs: "before" });
  const answers = await Promise.all(
    shown.map(({ own, card }) =>
      http.api.request(`/api/conversations/${own.id}/cards/${card!.id}`, {
        method: "POST",
        headers: { Authorization: `Bearer ${ada.key}`, "Content-Type": "application/json" },
        body: JSON.stringify({ decision: "do", signature: card!.signature }),
      }),
    ),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 200, 429, 429, 429, 429, 429]);
  await Promise.all(answers.map((answer) => answer.body?.cancel()));
});
