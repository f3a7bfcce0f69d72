import { afterAll, beforeAll, expect, test } from "vitest";
import type { CardView } from "@svc/control-plane/assistant/chat/chat-schemas.ts";
import type { Clock } from "@svc/shared/platform/clock.ts";
import { systemClock } from "@svc/shared/platform/clock.ts";
import { DeployingApi, type DeployedApp } from "../../support/api/deploying-api.ts";
import { startTestApi, type Caller, type TestApi } from "../../support/api/http.ts";
import { startTalk, talkOf, type Talk } from "../../support/assistant/talk.ts";
import { Browser } from "../../support/people/person.ts";

let http: TestApi;
/** Another process on the same database. */
let other: TestApi;
let setup: DeployingApi;
/** By how much the clock of the process is ahead. */
let aheadMs = 0;
const clock: Clock = { ...systemClock, now: () => new Date(Date.now() + aheadMs) };

beforeAll(async () => {
  http = await startTestApi({ clock });
  other = await startTestApi({ clock, database: http.database });
  setup = await DeployingApi.start(http);
});
afterAll(async () => {
  await setup?.stopWorker();
  await other?.stop();
  await http?.stop();
});

interface Shown {
  app: DeployedApp;
  talk: Talk;
  card: CardView;
}

/** A card that would set a variable. */
async function showCard(): Promise<Shown> {
  const app = await setup.addApp();
  const talk = await startTalk(app.caller);
  const { cards } = await talk.say(`set COLOUR=blue on ${app.name}`);
  return { app, talk, card: cards[0]! };
}

async function colourOf({ caller, name }: DeployedApp): Promise<unknown> {
  const { json } = await caller.call("GET", `/api/apps/${name}/env`);
  return (json["env"] as Record<string, string>)["COLOUR"];
}

/** The requests that changed something, by the activity. */
async function countOf(action: string, app: DeployedApp): Promise<number> {
  const query = "select 1 from audit_log where action = $1 and target = $2";
  return (await http.database.query(query, [action, `app:${app.id}`])).rows.length;
}

test("of ten clicks at once, at two processes, one does what the card says", async () => {
  const { app, talk, card } = await showCard();
  const sameKey: Pick<Caller, "call"> = {
    call: async (method, path, body) => {
      const init = { method, body: JSON.stringify(body) };
      const headers = { Authorization: `Bearer ${app.caller.key}`, "Content-Type": "application/json" };
      const reply = await other.api.request(path, { ...init, headers });
      const text = await reply.text();
      const json = reply.status === 200 ? {} : (JSON.parse(text) as Record<string, unknown>);
      return { status: reply.status, headers: reply.headers, text, json };
    },
  };
  const elsewhere = talkOf(sameKey, talk.id);
  const clicks = Array.from({ length: 10 }, (_, number) => (number % 2 === 0 ? talk : elsewhere).decide(card, "do"));
  const heard = await Promise.all(clicks);
  expect(heard.filter(({ status }) => status === 200)).toHaveLength(1);
  for (const { status, error } of heard.filter((each) => each.status !== 200)) {
    expect([status, ["card_closed", "turn_in_progress"].includes(error!)]).toEqual([409, true]);
  }
  expect(await colourOf(app)).toBe("blue");
  expect(await countOf("env.put", app)).toBe(1);
  expect((await talk.decide(card, "do")).error).toBe("card_closed");
  expect((await talk.decide(card, "leave")).error).toBe("card_closed");
  expect(await countOf("env.put", app)).toBe(1);
});

test("a decision needs the signature of this very card", async () => {
  const { app, talk, card } = await showCard();
  const { card: another } = await showCard();
  const own = (await talk.say(`stop ${app.name}`)).cards[0]!;
  const wrong = ["", "none", another.signature!, own.signature!, card.signature!.slice(1), `${card.signature!}x`];
  wrong.push(card.signature!.toLowerCase(), card.signature!.replace(/.$/, card.signature!.endsWith("A") ? "B" : "A"));
  for (const signature of wrong) {
    expect([signature, (await talk.decide(card, "do", signature)).error]).toEqual([signature, "card_invalid"]);
  }
  expect(await colourOf(app)).toBeUndefined();
  expect((await talk.decide(card, "do")).cards).toMatchObject([{ state: "done" }]);
});

test("a card that somebody changes in the database does nothing", async () => {
  const { app, talk, card } = await showCard();
  const another = await showCard();
  const takeContent = "update cards set content = (select content from cards where id = $2) where id = $1";
  await http.database.query(takeContent, [card.id, another.card.id]);
  expect((await talk.decide(card, "do")).status).toBe(500);
  const later = await showCard();
  await http.database.query("update cards set expires_at = expires_at + interval '1 day' where id = $1", [
    later.card.id,
  ]);
  expect((await later.talk.decide(later.card, "do")).error).toBe("card_invalid");
  const moved = await showCard();
  await http.database.query("update cards set conversation_id = $2 where id = $1", [moved.card.id, talk.id]);
  expect((await talk.decide(moved.card, "do")).error).toBe("card_invalid");
  for (const each of [app, another.app, later.app, moved.app]) expect(await colourOf(each)).toBeUndefined();
});

test("a card is not there for another person, even of the same team, nor for its person in another team", async () => {
  const { app, talk, card } = await showCard();
  const stranger = await http.addCaller();
  await http.database.query("insert into team_members (team_id, user_id, role) values ($1, $2, 'owner')", [
    app.caller.userId,
    stranger.userId,
  ]);
  const member = await http.addCaller({ userId: stranger.userId, teamId: app.caller.userId });
  await http.database.query("insert into team_members (team_id, user_id, role) values ($2, $1, 'owner')", [
    app.caller.userId,
    stranger.userId,
  ]);
  const elsewhere = await http.addCaller({ userId: app.caller.userId, teamId: stranger.userId });
  for (const who of [stranger, member, elsewhere]) {
    expect((await talkOf(who, talk.id).decide(card, "do")).error).toBe("not_found");
    const own = await startTalk(who);
    expect((await own.decide(card, "do")).error).toBe("not_found");
    expect((await who.call("GET", `/api/conversations/${talk.id}`)).status).toBe(404);
    expect((await who.call("DELETE", `/api/conversations/${talk.id}`)).status).toBe(404);
  }
  expect(await colourOf(app)).toBeUndefined();
});

test("a card ends after a quarter of an hour", async () => {
  const { app, talk, card } = await showCard();
  expect(new Date(card.expires_at).getTime() - clock.now().getTime()).toBeLessThanOrEqual(15 * 60_000);
  aheadMs = 15 * 60_000 + 1_000;
  try {
    expect((await talk.decide(card, "do")).error).toBe("card_closed");
    const [, answer] = await talk.messages();
    expect(answer!.parts.at(-1)).toMatchObject({ card: { state: "expired" } });
    expect(JSON.stringify(answer)).not.toContain("signature");
  } finally {
    aheadMs = 0;
  }
  await http.database.query("update cards set expires_at = now() where id = $1", [card.id]);
  expect((await talk.decide(card, "do")).status).not.toBe(200);
  expect(await colourOf(app)).toBeUndefined();
});

test("a card is not done to another app that has got the name meanwhile", async () => {
  const { app, talk, card } = await showCard();
  const again = { name: app.name, repo_url: "https://github.com/you/another" };
  expect((await app.caller.call("DELETE", `/api/apps/${app.name}?purge=1`)).status).toBe(204);
  expect((await app.caller.call("POST", "/api/apps", again)).status).toBe(201);
  expect((await talk.decide(card, "do")).cards).toMatchObject([
    { state: "failed", result: expect.stringContaining("another app than the one that the card was about") },
  ]);
  expect(await colourOf(app)).toBeUndefined();
});

test("a card whose process has died says that nobody knows whether it was done", async () => {
  const { talk, card } = await showCard();
  await http.database.query("update cards set state = 'running', decided_at = now() where id = $1", [card.id]);
  const lease =
    "update conversation_messages set open_until = now() + $2::interval where conversation_id = $1 and role = 'assistant'";
  const cardNow = async () => (await talk.messages())[1]!.parts.find(({ type }) => type === "card");
  await http.database.query(lease, [talk.id, "1 minute"]);
  expect(await cardNow()).toMatchObject({ card: { state: "running" } });
  await http.database.query(lease, [talk.id, "-1 second"]);
  expect(await cardNow()).toMatchObject({ card: { state: "unknown" } });
  await talk.say("help");
  expect(await cardNow()).toMatchObject({ card: { state: "unknown" } });
  expect((await talk.decide(card, "do")).error).toBe("card_closed");
});

test("what a role or a key may not any more is refused by the API when the card is done", async () => {
  const { app, talk, card } = await showCard();
  await http.database.query("update team_members set role = 'viewer' where team_id = $1", [app.caller.userId]);
  const done = await talk.decide(card, "do");
  expect(done.cards).toMatchObject([{ state: "failed", result: expect.stringContaining("insufficient_role") }]);
  await http.database.query("update team_members set role = 'owner' where team_id = $1", [app.caller.userId]);
  await expect.poll(async () => (await app.caller.call("GET", `/api/apps/${app.name}/env`)).status).toBe(200);
  expect(await colourOf(app)).toBeUndefined();
});

test("somebody who is signed in decides from a page of this service, and from no other", async () => {
  const browser = await new Browser(http).join("ada@example.test");
  const create = JSON.stringify({ name: "ada-shop", repo_url: "https://github.com/you/shop" });
  expect((await browser.send("POST", "/api/apps", create)).status).toBe(201);
  const call: Caller["call"] = (method, path, body, headers) =>
    browser.send(method, path, body === undefined ? "" : JSON.stringify(body), headers);
  const talk = await startTalk({ call });
  const shown = await talk.say("set COLOUR=green");
  const body = JSON.stringify({ decision: "do", signature: shown.cards[0]!.signature });
  const path = `/api/conversations/${talk.id}/cards/${shown.cards[0]!.id}`;
  const foreign = await browser.send("POST", path, body, { Origin: "https://elsewhere.example" });
  expect([foreign.status, foreign.json["error"]]).toEqual([403, "origin_refused"]);
  expect((await talk.decide(shown.cards[0]!, "do")).cards).toMatchObject([{ state: "done" }]);
  expect((await browser.get("/api/apps/ada-shop/env")).json).toMatchObject({ env: { COLOUR: "green" } });
});

test("what was decided is in the team's activity, without values", async () => {
  const { talk, card, app } = await showCard();
  await talk.decide(card, "do");
  const { rows } = await http.database.query("select action, detail from audit_log where owner_id = $1 order by id", [
    app.caller.userId,
  ]);
  expect(rows).toEqual(
    expect.arrayContaining([
      { action: "card.do", detail: { via: "chat", sentence: `set COLOUR of ${app.name}` } },
      expect.objectContaining({ action: "env.put" }),
    ]),
  );
  expect(JSON.stringify(rows)).not.toContain("blue");
});
