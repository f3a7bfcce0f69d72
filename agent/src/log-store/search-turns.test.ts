import { expect, test } from "vitest";
import { newId } from "@svc/shared/rules/ids.ts";
import type { OwnedApp } from "../ports.ts";
import { SearchTurns } from "./search-turns.ts";

const newApp = (name: string, ownerId = newId()): OwnedApp => ({ id: newId(), name, ownerId });
const { signal } = new AbortController();

/** Searches that go on until they are ended, in the order in which they began. */
function searches(turns: SearchTurns) {
  const going: { name: string; end: () => void }[] = [];
  const begun: string[] = [];
  const ask = (app: OwnedApp, by = signal): Promise<string> =>
    turns.take(app, by, () => {
      const { promise, resolve } = Promise.withResolvers<string>();
      begun.push(app.name);
      going.push({ name: app.name, end: () => resolve(app.name) });
      return promise;
    });
  /** Ends the one that began first, until none goes on. */
  const endAll = async (asked: readonly Promise<unknown>[]): Promise<void> => {
    const all = Promise.allSettled(asked);
    let isDone = false;
    void all.then(() => (isDone = true));
    while (!isDone) {
      going.shift()?.end();
      await new Promise(setImmediate);
    }
  };
  return { ask, begun, going, endAll };
}

test("two searches go on at a time, whichever end first, and one of an app", async () => {
  const { ask, begun, going, endAll } = searches(new SearchTurns());
  const [a, b, c] = [newApp("a"), newApp("b"), newApp("c")];
  const asked = [ask(a), ask(a), ask(b), ask(c)];
  await new Promise(setImmediate);
  expect(begun).toEqual(["a", "b"]);
  going.splice(1, 1)[0]!.end();
  await asked[2];
  await new Promise(setImmediate);
  expect(begun).toEqual(["a", "b", "c"]);
  await endAll(asked);
  expect(begun).toEqual(["a", "b", "c", "a"]);
});

test("an owner with many apps holds up another's search for one turn", async () => {
  const { ask, begun, endAll } = searches(new SearchTurns());
  const team = newId();
  const asked = Array.from({ length: 8 }, (_, i) => ask(newApp(`team ${i}`, team)));
  asked.push(ask(newApp("other")));
  await endAll(asked);
  expect(begun.indexOf("other")).toBeLessThanOrEqual(3);
  expect(begun).toHaveLength(9);
});

test("a search beyond those of an app, an owner or the host is refused, and takes no place", async () => {
  const { ask, endAll } = searches(new SearchTurns());
  const team = newId();
  const app = newApp("shop", team);
  const asked = [ask(app), ask(app), ask(app), ask(app)];
  await expect(ask(app)).rejects.toMatchObject({
    code: "too_many_streams",
    message: expect.stringMatching(/^4 .*shop/),
  });
  for (let i = 0; i < 4; i += 1) asked.push(ask(newApp("team", team)));
  await expect(ask(newApp("team", team))).rejects.toThrow("8 searches of logs of the apps of its team");
  for (let i = 0; i < 32; i += 1) asked.push(ask(newApp("other")));
  await expect(ask(newApp("other"))).rejects.toThrow("40 searches of logs go on or wait on the server");
  await endAll(asked);
  const last = ask(app);
  await endAll([last]);
  expect(await last).toBe("shop");
});

test("a search that waits ends with its caller, or is refused as one too many when its turn does not come", async () => {
  const { ask, begun, endAll } = searches(new SearchTurns({ waitMsMax: 50 }));
  const app = newApp("shop");
  const gone = new AbortController();
  const [first, canceled, waiting] = [ask(app), ask(app, gone.signal), ask(app)];
  gone.abort(new Error("gone"));
  await expect(canceled).rejects.toThrow("gone");
  await expect(waiting).rejects.toMatchObject({ code: "too_many_streams" });
  await endAll([first]);
  expect(begun).toEqual(["shop"]);
});
