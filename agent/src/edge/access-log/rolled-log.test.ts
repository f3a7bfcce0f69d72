import { appendFileSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { accessLogFiles } from "../caddy/caddy-access-log.ts";
import { readRolledLog, type LogPosition } from "./rolled-log.ts";

let directory: string;
let position: LogPosition | undefined;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "svc-rolled-"));
  position = undefined;
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const write = (text: string): void => appendFileSync(join(directory, "access.log"), text);
const roll = (time: string): void => renameSync(join(directory, "access.log"), join(directory, `access-${time}.log`));

async function readAll(): Promise<string[]> {
  const all: string[] = [];
  for (;;) {
    const next = await readRolledLog({ directory, filesOf: accessLogFiles }, position);
    if (next.position?.offset === position?.offset && next.position?.file === position?.file) return all;
    position = next.position;
    all.push(...next.lines);
  }
}

it("each line is read once, and one that is half written when it is whole", async () => {
  expect(await readAll()).toEqual([]);
  write("one\ntwo\nthr");
  expect(await readAll()).toEqual(["one", "two"]);
  write("ee\n");
  expect(await readAll()).toEqual(["three"]);
  expect(await readAll()).toEqual([]);
});

it("lines from before and after a roll come in order, also to a reader that was away", async () => {
  write("one\n");
  expect(await readAll()).toEqual(["one"]);
  write("two\n");
  roll("2026-01-02T00-00-00.000");
  write("three\n");
  roll("2026-01-03T00-00-00.000");
  write("four\n");
  expect(await readAll()).toEqual(["two", "three", "four"]);
});

it("where the file of the position is gone, reading goes on with the oldest that there is", async () => {
  write("one\n");
  await readAll();
  rmSync(join(directory, "access.log"));
  write("two\n");
  expect(await readAll()).toEqual(["two"]);
});

it("a line without an end is skipped, and the lines after it are not", async () => {
  write(`one\n${"x".repeat(2.5 * 1024 * 1024)}\ntwo\n`);
  const lines = await readAll();
  expect([lines[0], lines.at(-1)]).toEqual(["one", "two"]);
});
