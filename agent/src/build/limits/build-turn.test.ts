import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BuildTurn } from "./build-turn.ts";

const never = new AbortController().signal;

describe("one build at a time", () => {
  it("in order, whatever ends badly or is aborted while it waits", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom("ok", "fails", "aborted"), { maxLength: 8 }), async (kinds) => {
        const turn = new BuildTurn();
        const begun: number[] = [];
        let running = 0;
        const gate = Promise.withResolvers<void>();
        const first = turn.take(
          never,
          () => {},
          () => gate.promise,
        );
        const builds = kinds.map((kind, index) => {
          const controller = new AbortController();
          const build = turn.take(
            controller.signal,
            () => {},
            async () => {
              begun.push(index);
              expect((running += 1)).toBe(1);
              await Promise.resolve();
              running -= 1;
              if (kind === "fails") throw new Error(kind);
            },
          );
          if (kind === "aborted") controller.abort(new Error(kind));
          return build.then(
            () => "ok",
            (error: Error) => error.message,
          );
        });
        gate.resolve();
        await first;
        expect(await Promise.all(builds)).toEqual(kinds);
        expect(begun).toEqual(kinds.flatMap((kind, index) => (kind === "aborted" ? [] : [index])));
      }),
    );
  });

  it("says so only to those that wait", async () => {
    const turn = new BuildTurn();
    const waited: string[] = [];
    const gate = Promise.withResolvers<void>();
    const first = turn.take(
      never,
      () => waited.push("first"),
      () => gate.promise,
    );
    const second = turn.take(
      never,
      () => waited.push("second"),
      async () => {},
    );
    gate.resolve();
    await Promise.all([first, second]);
    await turn.take(
      never,
      () => waited.push("third"),
      async () => {},
    );
    expect(waited).toEqual(["second"]);
  });
});
