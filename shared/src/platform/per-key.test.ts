import { expect, test } from "vitest";
import { perKey } from "./per-key.ts";

function startWork(signal: AbortSignal) {
  const begun: string[] = [];
  const errors: string[] = [];
  let end = Promise.withResolvers<void>();
  const log = { error: (_details: unknown, sentence?: string) => void errors.push(sentence ?? "") };
  const keyed = perKey(
    {
      work: async (key) => {
        begun.push(key);
        await end.promise;
      },
      failing: "the round failed",
      log,
    },
    signal,
  );
  const endRounds = (failure?: Error): void => {
    const ended = end;
    end = Promise.withResolvers();
    if (failure) ended.reject(failure);
    else ended.resolve();
  };
  return { keyed, begun, errors, endRounds };
}

test("keys do not wait for one another, and a key that is woken during its round gets one more", async () => {
  const { keyed, begun, endRounds } = startWork(new AbortController().signal);
  for (const key of ["a", "b", "a", "a"]) keyed.wake(key);
  expect(begun).toEqual(["a", "b"]);
  endRounds();
  await expect.poll(() => begun).toEqual(["a", "b", "a"]);
  endRounds();
  await keyed.idle();
  expect(begun).toHaveLength(3);
});

test("a round that fails is told, and the key can be woken again", async () => {
  const { keyed, begun, errors, endRounds } = startWork(new AbortController().signal);
  keyed.wake("a");
  endRounds(new Error("the database is away"));
  await keyed.idle();
  expect(errors).toEqual(["the round failed"]);
  keyed.wake("a");
  endRounds();
  await keyed.idle();
  expect(begun).toEqual(["a", "a"]);
});

test("no round begins once the signal has aborted, and idle waits for those that go on", async () => {
  const stopping = new AbortController();
  const { keyed, begun, endRounds } = startWork(stopping.signal);
  keyed.wake("a");
  keyed.wake("a");
  stopping.abort();
  keyed.wake("b");
  endRounds();
  await keyed.idle();
  expect(begun).toEqual(["a"]);
});
