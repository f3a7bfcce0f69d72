import type { KyselyPlugin } from "kysely";
import { describe, expect, test } from "vitest";
import { insertEvents } from "@svc/control-plane/deploys/events/deploy-events.store.ts";
import { STREAMS_OF_APP_MAX } from "@svc/control-plane/platform/http/stream-places.ts";
import { eventually } from "../../support/tools/eventually.ts";
import { followersOf, leaveAll, useStreamWorld } from "../../support/api/stream-world.ts";

let queries = 0;

const countQueries: KyselyPlugin = {
  transformQuery({ node }) {
    queries += 1;
    return node;
  },
  transformResult: async ({ result }) => result,
};

const world = useStreamWorld(countQueries);

const append = (deployId: string, ...lines: string[]) =>
  world.database.db.transaction().execute((tx) =>
    insertEvents(
      tx,
      deployId,
      lines.map((line) => ({ kind: "log" as const, stepOrder: 2, payload: { lines: [line], dropped: 0 } })),
    ),
  );

describe("followers of one deploy", () => {
  test("ask the database once for what all of them get", async () => {
    const id = await world.reopenDeploy(world.name);
    const followers = await world.openMany(STREAMS_OF_APP_MAX, `/api/deploys/${id}/events`);
    await append(id, "first");
    for (const each of followers) await each.until("first");
    await eventually(
      async () => {
        const before = queries;
        await new Promise((resolve) => setImmediate(resolve));
        return queries - before;
      },
      (more) => more === 0,
      { what: "nobody asks" },
    );
    const before = queries;
    for (let i = 0; i < 10; i++) {
      await append(id, `line ${i}.`);
      for (const each of followers) await each.until(`line ${i}.`);
    }
    // Queries of each event: its page, and that nothing comes after it; and some slow looks. The insertion itself is
    // not counted.
    expect(queries - before).toBeLessThan(10 * 8);
    leaveAll(followers);
  });

  test("each begin where their Last-Event-ID says, and all see the same from then on", async () => {
    const id = await world.reopenDeploy(world.name);
    await append(id, ...Array.from({ length: 100 }, (_, i) => `line ${i + 1}.`));
    const path = `/api/deploys/${id}/events`;
    const followers = await Promise.all(
      [0, 40, 99].map((last) => world.open(path, undefined, { "Last-Event-ID": String(last) })),
    );
    await append(id, "line 101.");
    for (const each of followers) await each.until("line 101.");
    expect(followers.map(({ text }) => [...text.matchAll(/^id: (\d+)/gm)].map(([, number]) => Number(number)))).toEqual(
      [0, 40, 99].map((last) => Array.from({ length: 101 - last }, (_, i) => last + 1 + i)),
    );
    leaveAll(followers);
  });
});

test("a stopping process ends every stream", async () => {
  const id = await world.reopenDeploy(world.name);
  const followers = [
    ...(await world.openMany(5, `/api/apps/${world.name}/logs?follow=1`)),
    ...(await world.openMany(5, `/api/deploys/${id}/events`)),
  ];
  await followersOf(world.agent, 1, "the agent is followed");
  world.http.closing.abort();
  await eventually(() => followers.every(({ hasEnded }) => hasEnded), Boolean, { what: "all streams end" });
  await followersOf(world.agent, 0, "the agent is left");
  expect(world.agent.followers.size).toBe(0);
});
