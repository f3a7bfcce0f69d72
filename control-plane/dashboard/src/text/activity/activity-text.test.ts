import { expect, test } from "vitest";
import { activityText, actorText } from "./activity-text.ts";

const entry = (action: string, detail: Record<string, unknown>, target_name: string | null = null) => ({
  id: "1",
  at: "2026-01-01T00:00:00.000Z",
  actor: "system",
  email: null,
  key_name: null,
  action,
  target: "app:1",
  target_name,
  request_id: null,
  detail,
});

test.for([
  ["deploy.start", { app: "shop", release: "v3", ref: "main" }, "deployed shop, v3 from main"],
  ["deploy.start", { app: "shop", release: "v3", ref: null }, "deployed shop, v3"],
  [
    "deploy.start",
    { app: "shop", release: "v3", ref: "0123456789abcdef0123456789abcdef01234567" },
    "deployed shop, v3 from 0123456",
  ],
  ["app.unhealthy", { name: "shop", reason: "crash_loop" }, "shop became unhealthy: it ends again and again"],
  ["app.recovered", { name: "shop" }, "shop recovered"],
  ["rollback.success", { app: "shop", release: "rollback:01a2" }, "completed the rollback of shop"],
  ["key.create", { name: "laptop" }, "made the API key laptop"],
  ["key.revoke", {}, "revoked an API key"],
  ["team.pools", { team: "Shop", pools: ["gpu", "eu"] }, "gave the team Shop the pools: gpu, eu"],
  ["server.set", { name: "one" }, "changed the settings of one"],
  ["env.put", { keys: ["A", "B"] }, "set variables of an app that is gone: A, B"],
  ["env.put", { app: "shop", keys: ["A", "B", "and 14 more"] }, "set variables of shop: A, B, and 14 more"],
  ["env.put", { app: "shop", keys: [], sealed: ["TOKEN"] }, "sealed variables of shop: TOKEN"],
  ["env.put", { app: "shop", keys: ["A", "B"], sealed: ["B"] }, "set variables of shop: A, B; sealed: B"],
  ["deploy.success", { release: "v3" }, "completed the deploy of an app that is gone, v3"],
  ["deploy.failed", { app: "shop", release: "v3" }, "ended the deploy of shop, v3: it failed"],
  ["rollback.success", { app: "shop", release: "v2" }, "completed the rollback of shop to v2"],
  ["app.patch", { changed: [] }, "changed the app an app that is gone"],
  ["constructor", {}, "constructor (app:1)"],
  ["thing.of_a_newer_version", { name: { toString: 1 } }, "thing.of_a_newer_version (app:1)"],
] as const)("%s with %j is said as: %s", ([action, detail, words]) => {
  expect(activityText(entry(action, detail))).toBe(words);
});

test("an entry without the name of its app takes the one that it has now", () => {
  expect(activityText(entry("env.read", {}, "shop"))).toBe("read the variables of shop in clear");
});

test("whoever did it is named by their address, and by the key that they did it with", () => {
  const actors = [
    { actor: "system", email: null, key_name: null },
    { actor: "operator", email: null, key_name: null },
    { actor: "user:1", email: "ada@example.com", key_name: null },
    { actor: "key:1", email: "ada@example.com", key_name: "laptop" },
    { actor: "user:1", email: "1@deleted.invalid", key_name: null },
  ];
  expect(actors.map(actorText)).toEqual([
    "the platform",
    "an operator",
    "ada@example.com",
    "ada@example.com with the key laptop",
    "a deleted account",
  ]);
});
