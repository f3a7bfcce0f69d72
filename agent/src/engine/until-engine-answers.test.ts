import { SvcError } from "@svc/shared/errors.ts";
import { expect, test } from "vitest";
import { untilEngineAnswers } from "./until-engine-answers.ts";

/** Waits for an engine that answers after so many seconds, on a clock that only its own pauses move. */
async function waitFor(seconds: number): Promise<void> {
  let now = 0;
  const clock = {
    now: () => new Date(now),
    sleep: async (ms: number) => void (now += ms),
  };
  const ping = async () => {
    if (now < seconds * 1000) throw new SvcError("engine_unavailable", "no answer");
  };
  await untilEngineAnswers({ ping }, { clock, signal: new AbortController().signal, onWait: () => undefined });
}

test("an engine is waited for that stops a half-started database for its whole grace before it answers", async () => {
  await expect(waitFor(40)).resolves.toBeUndefined();
});

test("an engine that does not come back is given up", async () => {
  await expect(waitFor(3_600)).rejects.toMatchObject({ code: "engine_unavailable" });
});
