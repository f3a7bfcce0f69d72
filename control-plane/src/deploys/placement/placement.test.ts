import { expect, test } from "vitest";
import { chooseServer, countOn, rankServers, type Candidate } from "./placement.ts";

const GIB = 1024 ** 3;
const server = (name: string, facts: Partial<Candidate> = {}): Candidate => ({
  id: name,
  name,
  pool: "default",
  labels: [],
  linked: true,
  appCount: 0,
  openDeploys: 0,
  promisedBytes: 0,
  promisableBytes: 4 * GIB,
  comingBytes: 0,
  diskUsed: 0.2,
  load: 0.1,
  ...facts,
});
const app = { pools: ["default"], label: null, memoryBytes: GIB / 2 };
const chosen = (...servers: Candidate[]): string | undefined => chooseServer(servers, app)?.name;

test("a new app goes to the server with the most memory left in its share, with the app counted", () => {
  expect(chosen(server("a", { promisedBytes: GIB }), server("b", { promisedBytes: GIB / 2 }))).toBe("b");
  expect(chosen(server("small", { promisableBytes: GIB }), server("large", { promisedBytes: GIB }))).toBe("large");
});

test("memory of apps that are still coming counts as promised", () => {
  expect(chosen(server("a", { comingBytes: GIB }), server("b", { promisedBytes: GIB / 2 }))).toBe("b");
});

test("of two servers with the same memory the one with more free disk, or less load, is chosen", () => {
  expect(chosen(server("a", { diskUsed: 0.9 }), server("b"))).toBe("b");
  expect(chosen(server("a", { load: 1.5 }), server("b"))).toBe("b");
});

test("a server on which fewer deploys wait or run is chosen before one with more room", () => {
  expect(chosen(server("a", { openDeploys: 1 }), server("b", { promisedBytes: 2 * GIB }))).toBe("b");
});

test("a server without room for the app is chosen only when no other is there, and a full one never", () => {
  const tight = server("tight", { promisedBytes: 4 * GIB - GIB / 4 });
  const full = server("full", { promisedBytes: 4 * GIB });
  expect(chosen(tight, server("roomy", { openDeploys: 3 }))).toBe("roomy");
  expect(chosen(tight, full)).toBe("tight");
  expect(chosen(full)).toBeUndefined();
});

test("a server whose agent is away takes an app only when all are away", () => {
  expect(chosen(server("a", { linked: false }), server("b", { openDeploys: 9 }))).toBe("b");
  expect(chosen(server("a", { linked: false, openDeploys: 1 }), server("b", { linked: false }))).toBe("b");
});

test("of servers whose figures nobody knows the one with the fewest apps is chosen, of equal ones the first by name", () => {
  const unknown = { promisableBytes: 0, diskUsed: null, load: null };
  expect(chosen(server("b", { ...unknown, appCount: 1 }), server("a", { ...unknown, appCount: 2 }))).toBe("b");
  expect(chosen(server("b", unknown), server("a", unknown))).toBe("a");
});

test("only servers of the wanted pools, and with the wanted label, are chosen", () => {
  const servers = [server("a"), server("b", { pool: "gpu" }), server("c", { pool: "gpu", labels: ["ssd"] })];
  const names = (pools: string[], label: string | null) =>
    rankServers(servers, { ...app, pools, label }).map(({ name }) => name);
  expect(names(["default"], null)).toEqual(["a"]);
  expect(names(["gpu"], null)).toEqual(["b", "c"]);
  expect(names(["gpu"], "ssd")).toEqual(["c"]);
  expect(names(["default"], "ssd")).toEqual([]);
  expect(names([], null)).toEqual([]);
});

test("an app that was given a server counts there at once", () => {
  const servers = ["a", "b", "c"].map((name) => server(name));
  const names = Array.from({ length: 6 }, () => {
    const one = chooseServer(servers, app)!;
    countOn(one, app);
    return one.name;
  });
  expect(names).toEqual(["a", "b", "c", "a", "b", "c"]);
});

test("no server is chosen where there is none", () => expect(chosen()).toBeUndefined());
