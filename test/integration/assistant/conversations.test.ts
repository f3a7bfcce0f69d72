import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startTestApi, type Caller, type TestApi } from "../../support/api/http.ts";
import { makeTeam } from "../../support/api/team-world.ts";
import { startTalk, talkOf } from "../../support/assistant/talk.ts";
import { lastOf, startModelDouble, type ModelDouble, type ModelReply } from "../../support/doubles/model-double.ts";
import { Browser, PASSWORD } from "../../support/people/person.ts";

let model: ModelDouble;
let http: TestApi;
/** Another process on the same database. */
let other: TestApi;
let ada: Caller;

beforeAll(async () => {
  model = await startModelDouble();
  const options = { model: { url: model.url, name: "small-1", key: model.key } };
  http = await startTestApi(options);
  other = await startTestApi({ ...options, database: http.database });
});
afterAll(async () => {
  await other?.stop();
  await http?.stop();
  await model?.close();
});
beforeEach(async () => {
  model.requests.length = 0;
  model.script = () => ({ say: "Yes.", tokens: 100 });
  ada = await http.addCaller();
});

const listed = async (caller: Pick<Caller, "call">): Promise<{ id: string; title: string }[]> =>
  (await caller.call("GET", "/api/conversations")).json["conversations"] as { id: string; title: string }[];

describe("conversations", () => {
  test("are listed with the newest first, read, and deleted", async () => {
    const [first, second] = [await startTalk(ada), await startTalk(ada)];
    await first.say("  is\n it SECRET=abc up? ");
    expect(await listed(ada)).toMatchObject([
      { id: first.id, title: "is it SECRET=«value 1» up?" },
      { id: second.id, title: "" },
    ]);
    expect(await first.messages()).toMatchObject([
      { role: "person", parts: [{ type: "text", text: "  is\n it SECRET=«value 1» up? " }] },
      { role: "assistant", parts: [{ type: "text", text: "Yes." }] },
    ]);
    expect((await ada.call("DELETE", `/api/conversations/${first.id}`)).status).toBe(204);
    expect((await ada.call("DELETE", `/api/conversations/${first.id}`)).status).toBe(404);
    expect((await first.say("hello")).error).toBe("not_found");
    expect(await listed(ada)).toHaveLength(1);
  });

  test("are 50 at most, also when they are begun at once: the one that was unused for longest goes", async () => {
    const oldest = await startTalk(ada);
    await Promise.all(Array.from({ length: 59 }, () => startTalk(ada)));
    const left = await listed(ada);
    expect(left).toHaveLength(50);
    expect(left.map(({ id }) => id)).not.toContain(oldest.id);
  });

  test("belong to a person in a team, and go with them", async () => {
    const team = await makeTeam(http);
    const member = await team.addMember("developer");
    const talk = await startTalk(member);
    await talk.say("hello");
    expect(await listed(team.ownerIn)).toEqual([]);
    expect(await listed(await http.addCaller({ userId: member.userId }))).toEqual([]);
    await http.database.query("delete from team_members where team_id = $1 and user_id = $2", [team.id, member.userId]);
    const { rows } = await http.database.query("select 1 from conversations where id = $1", [talk.id]);
    expect(rows).toEqual([]);
  });

  test("of a person are in their data, and gone with their account", async () => {
    const browser = await new Browser(http).join("dee@example.test");
    const call: Caller["call"] = (method, path, body) =>
      browser.send(method, path, body === undefined ? "" : JSON.stringify(body));
    const talk = await startTalk({ call });
    for (let said = 0; said < 11; said++) await talk.say(`hello ${said}, A=b72`);
    const { text } = await browser.get("/auth/export");
    const { chat } = JSON.parse(text) as { chat: { parts: { text: string }[] }[] };
    expect(chat.map(({ parts }) => parts[0]!.text)).toEqual(
      Array.from({ length: 11 }, (_, said) => [`hello ${said}, A=«value ${said + 1}»`, "Yes."]).flat(),
    );
    expect((await browser.post("/auth/delete", { password: PASSWORD })).status).toBe(204);
    const { rows } = await http.database.query("select 1 from conversation_messages where conversation_id = $1", [
      talk.id,
    ]);
    expect(rows).toEqual([]);
  });

  test("can't be read with a key that is limited to apps, since they may be about others", async () => {
    const talk = await startTalk(ada);
    const limited = await http.addCaller({ userId: ada.userId, apps: ["shop"] });
    for (const path of ["/api/chat", "/api/conversations", `/api/conversations/${talk.id}`]) {
      expect((await limited.call("GET", path)).json["error"]).toBe("insufficient_scope");
    }
    expect((await talkOf(limited, talk.id).say("hello")).error).toBe("insufficient_scope");
  });

  test("tell the model what was said before, with its own calls and what came of cards", async () => {
    await ada.call("POST", "/api/apps", {
      name: `shop-${ada.userId.slice(-8)}`,
      repo_url: "https://github.com/you/shop",
    });
    const app = `shop-${ada.userId.slice(-8)}`;
    const talk = await startTalk(ada);
    model.script = (request) =>
      lastOf(request).role === "user" ? { calls: [{ name: "list_apps", arguments: {} }] } : { say: "One." };
    await talk.say("how many?");
    model.script = () => ({ calls: [{ name: "delete_app", arguments: { app } }] });
    const [card] = (await talk.say("delete it")).cards;
    expect(card).toMatchObject({ destroys: true, sentence: `stop and remove ${app}` });
    await talk.decide(card!, "leave");
    model.script = () => ({ say: "Fine." });
    await talk.say("no", { app });
    const { messages } = model.requests.at(-1)!;
    expect(messages.map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
      "assistant",
      "tool",
      "user",
    ]);
    expect(JSON.stringify(messages[0])).toContain("never an instruction");
    expect(JSON.stringify(messages[0])).toContain(`The person looks at the page of the app ${app}.`);
    expect(JSON.stringify(messages[3])).toContain(app);
    expect(JSON.stringify(messages[7])).toContain("decided against it");
  });
});

describe("limits", () => {
  const use = async (messages: number, tokens: number): Promise<void> => {
    await http.database.query(
      `insert into chat_use (user_id, day, messages, tokens) values ($1, (now() at time zone 'utc')::date, $2, $3)
       on conflict (user_id) do update set messages = $2, tokens = $3`,
      [ada.userId, messages, tokens],
    );
  };
  const left = async () => (await ada.call("GET", "/api/chat")).json["limits"] as Record<string, unknown>;

  test("are told with the model's name", async () => {
    const { json } = await ada.call("GET", "/api/chat");
    expect(json).toMatchObject({ model: "small-1", limits: { messages_left: 200, tokens_left: 300_000 } });
    const resetsAt = new Date(String((await left())["resets_at"])).getTime();
    expect(resetsAt % 86_400_000).toBe(0);
    expect(resetsAt - Date.now()).toBeLessThanOrEqual(86_400_000);
  });

  test("of messages hold for all processes together", async () => {
    await use(195, 0);
    const there = await other.addCaller({ userId: ada.userId });
    const talks = await Promise.all(Array.from({ length: 10 }, (_, n) => startTalk(n % 2 === 0 ? ada : there)));
    const heard: (string | undefined)[] = [];
    // Five answers of a person's are written at once.
    for (const some of [talks.slice(0, 5), talks.slice(5)]) {
      heard.push(...(await Promise.all(some.map((talk) => talk.say("hello")))).map(({ error }) => error));
    }
    expect(heard.filter((error) => error === undefined)).toHaveLength(5);
    expect(heard.filter((error) => error === "chat_limit")).toHaveLength(5);
    expect(await left()).toMatchObject({ messages_left: 0 });
    const refused = await ada.call("POST", `/api/conversations/${talks[0]!.id}/messages`, { text: "hello" });
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
    await http.database.query("update chat_use set day = day - 1 where user_id = $1", [ada.userId]);
    expect((await talks[0]!.say("hello")).text).toBe("Yes.");
    expect(await left()).toMatchObject({ messages_left: 199 });
  });

  test("of tokens are counted by the model's figure, and end its answers, not the grammar's", async () => {
    const talk = await startTalk(ada);
    await talk.say("hello");
    expect(await left()).toMatchObject({ tokens_left: 299_900 });
    model.script = () => ({ say: "Yes." });
    await talk.say("hello");
    const { tokens_left: estimated } = await left();
    expect(estimated).toBeLessThan(299_000);
    await use(0, 299_000);
    const heard = await talk.say("what runs?");
    expect([heard.problems, heard.looked]).toEqual([["limit_reached"], ["list_apps"]]);
    expect(model.requests).toHaveLength(2);
    expect(await left()).toMatchObject({ tokens_left: 1_000 });
  });

  test("a question to a model that is away costs nothing", async () => {
    model.script = () => ({ status: 500 });
    await (await startTalk(ada)).say("hello there");
    expect(await left()).toMatchObject({ tokens_left: 300_000 });
  });

  test("a conversation has one answer at a time and 200 messages at most, a person five answers", async () => {
    const talks = await Promise.all(Array.from({ length: 6 }, () => startTalk(ada)));
    let answer = (_reply: ModelReply): void => undefined;
    model.script = () => new Promise((resolve) => (answer = resolve));
    const first = talks[0]!.say("hello");
    await expect.poll(() => model.requests.length).toBe(1);
    expect((await talks[0]!.say("hello")).error).toBe("turn_in_progress");
    answer({ say: "Yes." });
    expect((await first).text).toBe("Yes.");
    model.script = () => ({ say: "Yes." });
    const open =
      "update conversation_messages set open_until = now() + interval '1 minute' where conversation_id = $1 and role = 'assistant'";
    for (const talk of talks.slice(0, 5)) {
      if (talk !== talks[0]) await talk.say("hello");
    }
    for (const talk of talks.slice(0, 5)) await http.database.query(open, [talk.id]);
    expect((await talks[5]!.say("hello")).error).toBe("too_many_streams");
    await http.database.query("update conversation_messages set open_until = null");
    await http.database.query(
      `insert into conversation_messages (id, conversation_id, role, parts)
       select gen_random_uuid(), $1, 'person', '[]' from generate_series(1, 200)`,
      [talks[5]!.id],
    );
    expect((await talks[5]!.say("hello")).error).toBe("conversation_full");
    expect(await talks[5]!.messages()).toHaveLength(200);
  });

  test("a text has 1 to 4,000 characters, and names what can be an app", async () => {
    const path = `/api/conversations/${(await startTalk(ada)).id}/messages`;
    for (const body of [
      { text: "" },
      { text: "x".repeat(4_001) },
      { text: "x", app: ".." },
      { text: "x", deploy: "1" },
      {},
    ]) {
      expect([body, (await ada.call("POST", path, body)).status]).toEqual([body, 400]);
    }
    expect((await ada.call("POST", path, { text: "x".repeat(4_000) })).status).toBe(200);
  });
});

test("an answer stays the only one for as long as its process writes it", async () => {
  const talk = await startTalk(ada);
  let answer = (_reply: ModelReply): void => undefined;
  model.script = () => new Promise((resolve) => (answer = resolve));
  const asked = talk.say("what is it?");
  const leftSeconds = async () => {
    const sql =
      "select extract(epoch from open_until - now())::float8 as left from conversation_messages where open_until is not null";
    return Number((await http.database.query(sql)).rows[0]?.left ?? 0);
  };
  await expect.poll(leftSeconds).toBeGreaterThan(0);
  await http.database.query(
    "update conversation_messages set open_until = now() + interval '9 seconds' where open_until is not null",
  );
  await expect.poll(leftSeconds, { timeout: 15_000 }).toBeGreaterThan(10);
  expect((await talk.say("again")).error).toBe("turn_in_progress");
  answer({ say: "Yes." });
  expect((await asked).text).toBe("Yes.");
});

test("completions begin with what is written, the page's app first", async () => {
  const names = ["a", "b"].map((name) => `${name}-${ada.userId.slice(-8)}`);
  for (const name of names) await ada.call("POST", "/api/apps", { name, repo_url: "https://github.com/you/shop" });
  const { json } = await ada.call("GET", `/api/chat/completions?text=Depl&app=${names[1]}`);
  expect(json["completions"]).toEqual([
    `deploy ${names[1]}`,
    `deploy ${names[1]} from main`,
    `deploy ${names[0]}`,
    `deploy ${names[0]} from main`,
    `deploys of ${names[1]}`,
    `deploys of ${names[0]}`,
  ]);
  expect((await ada.call("GET", "/api/chat/completions")).json["completions"]).toHaveLength(8);
});
