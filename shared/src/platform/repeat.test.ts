import { expect, it, vi } from "vitest";
import type { Clock } from "./clock.ts";
import { repeat, repeatUntilDone, startRepeating, type Repetition } from "./repeat.ts";

/** Notes each pause and ends it when the test says so. */
function steppedClock() {
  const pauses: { ms: number; end: () => void }[] = [];
  const clock: Clock = {
    now: () => new Date(0),
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason as Error));
        if (signal?.aborted) return reject(signal.reason as Error);
        pauses.push({ ms, end: resolve });
      }),
  };
  return { clock, pauses };
}

function start(fields: Partial<Repetition> & Pick<Repetition, "work">) {
  const { clock, pauses } = steppedClock();
  const warnings: string[] = [];
  const log = { warn: (_fields: unknown, text: string) => void warnings.push(text) } as Repetition["log"];
  const stopping = new AbortController();
  const ended = repeat({ everyMs: 1000, failing: "it fails", clock, log, ...fields }, stopping.signal);
  const stop = async () => {
    stopping.abort();
    await ended;
  };
  return { pauses, warnings, stop };
}

it("work is done at once, and again after each pause, until the signal", async () => {
  const work = vi.fn(async () => undefined);
  const { pauses, stop } = start({ work });
  await vi.waitFor(() => expect(pauses).toHaveLength(1));
  expect(work).toHaveBeenCalledTimes(1);
  pauses[0]!.end();
  await vi.waitFor(() => expect(pauses).toHaveLength(2));
  expect(work).toHaveBeenCalledTimes(2);
  expect(pauses[1]!.ms).toBe(1000);
  await stop();
  expect(work).toHaveBeenCalledTimes(2);
});

it("work that fails is said once, tried after growing pauses, and said again after it has succeeded", async () => {
  let isFailing = true;
  const { pauses, warnings, stop } = start({
    work: async () => (isFailing ? Promise.reject(new Error("no")) : undefined),
  });
  for (let round = 0; round < 4; round += 1) {
    await vi.waitFor(() => expect(pauses).toHaveLength(round + 1));
    pauses[round]!.end();
  }
  await vi.waitFor(() => expect(pauses).toHaveLength(5));
  expect(pauses.map(({ ms }) => ms)).toEqual([2000, 4000, 5000, 5000, 5000]);
  expect(warnings).toEqual(["it fails"]);
  isFailing = false;
  pauses[4]!.end();
  await vi.waitFor(() => expect(pauses).toHaveLength(6));
  expect(pauses[5]!.ms).toBe(1000);
  isFailing = true;
  pauses[5]!.end();
  await vi.waitFor(() => expect(warnings).toEqual(["it fails", "it fails"]));
  await stop();
});

it("a pause that is longer than the longest one after failures stays as it is", async () => {
  const { pauses, stop } = start({ everyMs: 60_000, work: () => Promise.reject(new Error("no")) });
  await vi.waitFor(() => expect(pauses.map(({ ms }) => ms)).toEqual([60_000]));
  await stop();
});

it("work that nobody may wait for is tried again no later than it says", async () => {
  const { pauses, stop } = start({ retryMsMax: 1000, work: () => Promise.reject(new Error("no")) });
  await vi.waitFor(() => expect(pauses).toHaveLength(1));
  pauses[0]!.end();
  await vi.waitFor(() => expect(pauses.map(({ ms }) => ms)).toEqual([1000, 1000]));
  await stop();
});

it("a round says how long the next pause is", async () => {
  const { pauses, stop } = start({ work: async () => 20 });
  await vi.waitFor(() => expect(pauses.map(({ ms }) => ms)).toEqual([20]));
  await stop();
});

it("a loop that is woken works at once; a call during a round is not lost, and none comes after the end", async () => {
  let wake = (): void => undefined;
  const unsubscribe = vi.fn();
  const rounds: (() => void)[] = [];
  const { pauses, stop } = start({
    work: () => new Promise<void>((resolve) => rounds.push(resolve)),
    wakeOn: (listener) => ((wake = listener), unsubscribe),
  });
  wake();
  rounds[0]!();
  await vi.waitFor(() => expect(rounds).toHaveLength(2));
  expect(pauses).toEqual([]);
  rounds[1]!();
  await vi.waitFor(() => expect(pauses).toHaveLength(1));
  wake();
  await vi.waitFor(() => expect(rounds).toHaveLength(3));
  rounds[2]!();
  await stop();
  expect(unsubscribe).toHaveBeenCalledOnce();
});

it("a loop that is stopped by name has ended its round", async () => {
  let end = (): void => undefined;
  let hasEnded = false;
  const work = () => new Promise<void>((resolve) => (end = resolve)).then(() => void (hasEnded = true));
  const log = { warn: () => undefined } as Repetition["log"];
  const part = startRepeating("chore", { everyMs: 1, work, failing: "it fails", log });
  const stopped = part.stop();
  end();
  await stopped;
  expect(hasEnded).toBe(true);
});

it("work that has to succeed once is done again until it has", async () => {
  const { clock, pauses } = steppedClock();
  const work = vi.fn(async () => undefined).mockRejectedValueOnce(new Error("no"));
  const log = { warn: vi.fn() };
  const done = repeatUntilDone({ everyMs: 1, work, failing: "it fails", clock, log }, new AbortController().signal);
  await vi.waitFor(() => expect(pauses).toHaveLength(1));
  pauses[0]!.end();
  await done;
  expect(work).toHaveBeenCalledTimes(2);
  expect(log.warn).toHaveBeenCalledOnce();
});
