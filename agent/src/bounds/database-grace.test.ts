import { expect, test } from "vitest";
import type { MeasuredPlace } from "../engine/disk-limits.ts";
import { DatabaseGrace } from "./database-grace.ts";

const limits = { appBytes: 1, databaseBytes: 1000, filesMax: 100 };
const whose = { containerId: "db", appId: "shop", appName: "shop", paths: ["/db"] };
const holding = (bytes: number, role: MeasuredPlace["role"] = "database"): MeasuredPlace => {
  const use = { bytes, files: 1 };
  return { ...whose, role, use, former: use };
};
const allowed = (grace: DatabaseGrace, bytes: number) => grace.limitOf(holding(bytes), limits).bytes;

test("a database that grows over its limit has no grace until its app was stopped", () => {
  const grace = new DatabaseGrace();
  expect(allowed(grace, 900)).toBe(1000);
  expect(allowed(grace, 1100)).toBe(1000);
});

test("the database of a stopped app may grow by 5 %, and never beyond a quarter over the limit", () => {
  const grace = new DatabaseGrace();
  allowed(grace, 900);
  grace.renew(holding(1100), limits);
  expect(allowed(grace, 1101)).toBe(1155);
  grace.renew(holding(1240), limits);
  expect(allowed(grace, 1240)).toBe(1250);
  grace.renew(holding(1300), limits);
  expect(allowed(grace, 1300)).toBe(1250);
});

test("a database that came below its limit has none any more", () => {
  const grace = new DatabaseGrace();
  allowed(grace, 900);
  grace.renew(holding(1100), limits);
  expect(allowed(grace, 950)).toBe(1000);
  expect(allowed(grace, 1001)).toBe(1000);
});

test("an agent that starts while data is being deleted takes what it finds for the size at the start", () => {
  expect(allowed(new DatabaseGrace(), 1100)).toBe(1155);
});

test("an app has no grace", () => {
  const grace = new DatabaseGrace();
  expect(grace.limitOf(holding(2, "app"), limits).bytes).toBe(1);
});
