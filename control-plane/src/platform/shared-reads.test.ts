import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { sharedReads } from "./shared-reads.ts";

/** Reads whose order and ends are the test's. */
function scripted() {
  const begun: { key: string; end: (value: string) => void; fail: (error: Error) => void }[] = [];
  const read = sharedReads((key) => new Promise<string>((end, fail) => void begun.push({ key, end, fail })));
  return { read, begun };
}

test("those who ask in one turn of the event loop share a read, which begins after all of them have asked", async () => {
  const { read, begun } = scripted();
  const asked = [read("a"), read("a"), read("a")];
  expect(begun).toEqual([]);
  await setImmediate();
  expect(begun).toHaveLength(1);
  begun[0]!.end("now");
  expect(await Promise.all(asked)).toEqual(["now", "now", "now"]);
});

test("who asks while a read runs gets another one: what that finds may be true no more", async () => {
  const { read, begun } = scripted();
  const first = read("a");
  await setImmediate();
  const second = read("a");
  await setImmediate();
  expect(begun).toHaveLength(2);
  begun[1]!.end("after");
  expect(await second).toBe("after");
  begun[0]!.end("before");
  expect(await first).toBe("before");
});

test("a read that fails fails for those who share it, and for nobody after them", async () => {
  const { read, begun } = scripted();
  const asked = [read("a"), read("a")];
  await setImmediate();
  begun[0]!.fail(new Error("away"));
  expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  const later = read("a");
  await setImmediate();
  begun[1]!.end("back");
  expect(await later).toBe("back");
});

test("each key is read for itself", async () => {
  const { read, begun } = scripted();
  const asked = [read("a"), read("b")];
  await setImmediate();
  for (const { key, end } of begun) end(`value of ${key}`);
  expect(await Promise.all(asked)).toEqual(["value of a", "value of b"]);
});
