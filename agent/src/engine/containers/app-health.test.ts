import { expect, test } from "vitest";
import { afterEnd, afterLook, firstMemory, type HealthLook, type HealthMemory } from "./app-health.ts";

const SECOND = 1000;

/** An app, looked at once a second of a time that the test owns. */
class WatchedApp {
  at = 1_000_000;
  look: Omit<HealthLook, "at"> = {
    containerId: "c1",
    state: "running",
    startedAt: this.at,
    restartCount: 0,
    refusingSince: undefined,
  };
  memory: HealthMemory | undefined;
  /** Each verdict that differs from the one before, with the seconds from the beginning. */
  readonly verdicts: [number, string | undefined][] = [];
  readonly #begin = this.at;

  pass(seconds: number, change: Partial<HealthLook> = {}): this {
    Object.assign(this.look, change);
    for (let passed = 0; passed < seconds; passed += 1) {
      const look = { ...this.look, at: this.at };
      this.memory = afterLook(this.memory ?? firstMemory(look), look);
      const { verdict } = this.memory;
      if (verdict && (this.verdicts.length === 0 || this.verdicts.at(-1)![1] !== verdict.reason)) {
        this.verdicts.push([(this.at - this.#begin) / SECOND, verdict.reason]);
      }
      this.at += SECOND;
    }
    return this;
  }

  /** It ends; the engine has started it again by the next look. */
  end(forMemory = false): this {
    this.memory &&= afterEnd(this.memory, this.look.containerId, forMemory);
    this.look.restartCount += 1;
    this.look.startedAt = this.at;
    return this;
  }

  refuse(): this {
    this.look.refusingSince = this.at;
    return this;
  }
}

const reasonOf = ({ memory }: WatchedApp): string | undefined => memory?.verdict?.reason;

test("an app that serves is healthy at the first look", () => {
  expect(new WatchedApp().pass(1).verdicts).toEqual([[0, undefined]]);
});

test("restarts from before the engine was heard of are no loop once it is", () => {
  const app = new WatchedApp().pass(30, { state: undefined, startedAt: undefined, restartCount: 0 });
  app.pass(5, { state: "running", startedAt: 1_000_000, restartCount: 7 });
  expect(app.verdicts).toEqual([[0, undefined]]);
});

test("an app whose port refuses for less than 2 s stays healthy, and one that refuses on is not listening since the first refusal", () => {
  const app = new WatchedApp().pass(5).refuse().pass(2);
  expect(reasonOf(app)).toBeUndefined();
  app.pass(1);
  expect(app.memory!.verdict).toEqual({ reason: "not_listening", since: 1_005_000 });
  app.pass(1, { refusingSince: undefined });
  expect(app.memory!.verdict).toEqual({ reason: undefined, since: 1_008_000 });
});

test("an app that ends once and is back at once stays healthy", () => {
  expect(new WatchedApp().pass(5).end().pass(60).verdicts).toEqual([[0, undefined]]);
});

test.each([2, 20, 40])(
  "an app that ends every %i s is in a crash loop from its third end on, without a pause",
  (life) => {
    const app = new WatchedApp();
    for (let time = 0; time < 10; time += 1) app.pass(life).end();
    expect(app.pass(1).verdicts).toEqual([
      [0, undefined],
      [3 * life, "crash_loop"],
    ]);
  },
);

test.each([
  [2, 10],
  [40, 80],
])("an app that lived for %i s is out of its crash loop when it has served for %i s", (life, served) => {
  const app = new WatchedApp();
  for (let time = 0; time < 4; time += 1) app.pass(life).end();
  app.pass(served);
  expect(reasonOf(app)).toBe("crash_loop");
  app.pass(1);
  expect(app.memory!.verdict).toEqual({ reason: undefined, since: 1_000_000 + 4 * life * SECOND });
});

test("an app that waits for the engine to start it again is in a crash loop", () => {
  const app = new WatchedApp().pass(2).end().pass(1).end().pass(1).end().pass(10, { state: "restarting" });
  expect(reasonOf(app)).toBe("crash_loop");
});

test("an app that ended for its memory is unhealthy at once, and until it has served for 10 s", () => {
  const app = new WatchedApp().pass(30).end(true).pass(10);
  expect(reasonOf(app)).toBe("out_of_memory");
  expect(app.pass(1).verdicts).toEqual([
    [0, undefined],
    [30, "out_of_memory"],
    [40, undefined],
  ]);
});

test("a loop is told by its last end: for memory, or not", () => {
  const app = new WatchedApp();
  for (let time = 0; time < 3; time += 1) app.pass(3).end(true);
  expect(reasonOf(app.pass(1))).toBe("out_of_memory");
  expect(reasonOf(app.end().pass(1))).toBe("crash_loop");
});

test.each(["gone", "exited", "dead"])("a container that is %s for 2 s is gone", (state) => {
  const app = new WatchedApp().pass(5).pass(2, { state });
  expect(reasonOf(app)).toBeUndefined();
  expect(reasonOf(app.pass(1))).toBe("gone");
});

test("a container that somebody starts by hand is in no loop, whatever the engine counted before", () => {
  const app = new WatchedApp();
  for (let time = 0; time < 4; time += 1) app.pass(2).end();
  expect(reasonOf(app.pass(1, { restartCount: 0 }))).toBeUndefined();
});

test("a new release is not blamed for the ends of the former one", () => {
  const app = new WatchedApp();
  for (let time = 0; time < 4; time += 1) app.pass(2).end(true);
  expect(reasonOf(app.pass(1))).toBe("out_of_memory");
  expect(reasonOf(app.pass(1, { containerId: "c2", restartCount: 0 }))).toBeUndefined();
});

test("a loop that began before the agent did is seen at the first look, and an old count is no loop", () => {
  expect(reasonOf(new WatchedApp().pass(1, { restartCount: 9 }))).toBe("crash_loop");
  expect(reasonOf(new WatchedApp().pass(1, { restartCount: 9, startedAt: 0 }))).toBeUndefined();
});

test("while the engine does not answer, the port alone tells, and nothing is called gone", () => {
  const app = new WatchedApp().pass(5).pass(10, { state: undefined, restartCount: 0 });
  expect(reasonOf(app)).toBeUndefined();
  expect(reasonOf(app.refuse().pass(3))).toBe("not_listening");
});
