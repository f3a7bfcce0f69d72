import { describe, expect, test } from "vitest";
import { STREAMS_OF_APP_MAX, STREAMS_OF_USER_MAX } from "@svc/control-plane/platform/http/stream-places.ts";
import { eventually } from "../../support/tools/eventually.ts";
import { followersOf, leaveAll, useStreamWorld, type Follower } from "../../support/api/stream-world.ts";

const world = useStreamWorld();

const logs = (of = world.name, query = "") => `/api/apps/${of}/logs?follow=1${query}`;

describe("places for streams", () => {
  test("an app has so many, a refusal says when to come back, and one that is left is free at once", async () => {
    const held = await world.openMany(STREAMS_OF_APP_MAX, logs());
    expect(held.map(({ status }) => status)).toEqual(Array(STREAMS_OF_APP_MAX).fill(200));
    const refused = await world.open(logs());
    await refused.until("too_many_streams");
    expect([refused.status, refused.headers.get("Retry-After")]).toEqual([429, "10"]);
    expect(refused.text).toContain(`${STREAMS_OF_APP_MAX} streams of this app's logs and deploys are open: close one`);
    held[0]!.leave();
    const next = await eventually(
      () => world.open(logs()),
      ({ status }) => status === 200,
      { what: "a place is free", deadlineMs: 2_000 },
    );
    leaveAll([...held, next]);
    await followersOf(world.agent, 0, "the agent is left");
  });

  test("a user has so many, whichever keys and apps they are of, and others are let in", async () => {
    const other = await world.http.addCaller({ userId: world.ada.userId });
    const names = [world.name, await world.addApp(), await world.addApp()];
    const each = Math.floor(STREAMS_OF_USER_MAX / 3);
    const held = (await Promise.all(names.map((of) => world.openMany(each, logs(of), other)))).flat();
    while (held.length < STREAMS_OF_USER_MAX) held.push(await world.open(logs(names[held.length % 3])));
    expect(new Set(held.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await world.open(logs(names[0]))).status).toBe(429);
    const bob = await world.http.addCaller();
    const bobs = await world.open(logs(await world.addApp(bob)), bob);
    expect(bobs.status).toBe(200);
    leaveAll([...held, bobs]);
    await followersOf(world.agent, 0, "the agent is left");
  });

  test("a stream that ends by itself, or with its key, leaves its place", async () => {
    const other = await world.http.addCaller({ userId: world.ada.userId });
    const held = await world.openMany(STREAMS_OF_APP_MAX, logs(), other);
    await world.http.database.query("update api_keys set revoked_at = now() where id = $1", [other.keyId]);
    await eventually(() => held.every(({ hasEnded }) => hasEnded), Boolean, { what: "the streams end with their key" });
    const again = await world.openMany(STREAMS_OF_APP_MAX, logs());
    expect(new Set(again.map(({ status }) => status))).toEqual(new Set([200]));
    leaveAll(again);
    await followersOf(world.agent, 0, "the agent is left");
  });
});

describe("followers of one log", () => {
  test("share one stream of the agent, and each gets the last lines that it asked for", async () => {
    world.agent.log = Array.from({ length: 600 }, (_, i) => `old ${i}.`);
    const few = await world.open(logs(world.name, "&lines=1"));
    await few.until("old 599.");
    const more = await Promise.all([2, 100, 500].map((lines) => world.open(logs(world.name, `&lines=${lines}`))));
    for (const each of more) await each.until("old 599.");
    world.agent.write("new one");
    for (const each of [few, ...more]) await each.until("new one");
    expect(world.agent.followers.size).toBe(1);
    const linesOf = ({ text }: Follower) => [...text.matchAll(/Z (old|new)/g)].length;
    expect([few, ...more].map(linesOf)).toEqual([2, 3, 101, 501]);
    leaveAll([few, ...more]);
    await followersOf(world.agent, 0, "the agent is left");
  });

  test("get all lines when they keep up, and one that does not read is told how many it missed", async () => {
    const response = await world.http.api.request(logs(), { headers: { Authorization: `Bearer ${world.ada.key}` } });
    const slow = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    world.agent.log = ["begin"];
    const fast = await world.open(logs());
    await fast.until("begin");
    expect((await slow.read()).value).toContain("begin");
    const lines = Array.from({ length: 6_000 }, (_, i) => `line ${i}.`);
    for (const line of lines) world.agent.write(line);
    await fast.until("line 5999.");
    expect([...fast.text.matchAll(/line \d+\./g)].map(([line]) => line)).toEqual(lines);
    expect(fast.text).not.toMatch(/"dropped":[1-9]/);
    let seen = 0;
    let dropped = 0;
    for (let text = ""; !text.includes("line 5999.");) {
      text = (await slow.read()).value ?? "";
      for (const [, data] of text.matchAll(/^data: (.*)$/gm)) {
        const batch = JSON.parse(data!) as { lines: string[]; dropped: number };
        seen += batch.lines.length;
        dropped += batch.dropped;
      }
    }
    expect(dropped).toBeGreaterThan(3_000);
    expect(seen + dropped).toBe(6_000);
    fast.leave();
    await slow.cancel();
  });

  test("hold and get bytes within bounds when lines are long, and are told how many lines went for that", async () => {
    world.agent.log = Array.from({ length: 500 }, (_, i) => `${i} `.padEnd(16_000, "x"));
    const first = await world.open(logs(world.name, "&lines=500"));
    await first.untilWhole("Z 499 ");
    const second = await world.open(logs(world.name, "&lines=500"));
    await second.untilWhole("Z 499 ");
    for (const { text } of [first, second]) {
      const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => data!);
      const batches = events.map((data) => JSON.parse(data) as { lines: string[]; dropped: number });
      const shown = batches.flatMap(({ lines }) => lines).length;
      expect(Math.max(...events.map((data) => data.length))).toBeLessThan(65 * 1024);
      expect(shown * 16_000).toBeLessThan(1024 * 1024);
      expect(shown + batches.reduce((sum, { dropped }) => sum + dropped, 0)).toBe(500);
    }
    leaveAll([first, second]);
  });

  test("who comes after a variable was changed sees neither its former value nor its new one", async () => {
    await world.ada.call("PUT", `/api/apps/${world.name}/env`, { env: { TOKEN: "former-secret" } });
    world.agent.log = ["begin"];
    const first = await world.open(logs());
    await first.until("begin");
    world.agent.write("says latest-secret and former-secret");
    await first.until("latest-secret and [REDACTED]");
    await world.ada.call("PUT", `/api/apps/${world.name}/env`, { env: { TOKEN: "latest-secret" } });
    const second = await world.open(logs());
    await second.until("says [REDACTED] and [REDACTED]");
    world.agent.write("again former-secret latest-secret");
    for (const each of [first, second]) await each.until("again [REDACTED] [REDACTED]");
    expect(second.text).not.toMatch(/former-secret|latest-secret/);
    leaveAll([first, second]);
  });

  test("are told of the end of the container, and who comes then begins anew", async () => {
    const [first, second] = await world.openMany(2, logs());
    await followersOf(world.agent, 1, "the agent is followed");
    world.agent.end();
    for (const each of [first!, second!]) await each.until("event: end");
    const third = await world.open(logs());
    await followersOf(world.agent, 1, "the agent is followed again");
    expect(third.hasEnded).toBe(false);
    third.leave();
  });
});
