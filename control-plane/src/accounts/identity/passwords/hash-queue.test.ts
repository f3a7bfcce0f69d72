import { expect, test } from "vitest";
import { HashQueue } from "./hash-queue.ts";

test("two passwords are hashed at a time, the others wait, and too many are told to come back", async () => {
  const queue = new HashQueue();
  const released = Promise.withResolvers<void>();
  let running = 0;
  let most = 0;
  const hash = async () => {
    most = Math.max(most, ++running);
    await released.promise;
    running -= 1;
  };
  const taken = Array.from({ length: 42 }, () => queue.run(hash));
  await expect(queue.run(hash)).rejects.toMatchObject({ code: "rate_limited", retryAfterSeconds: 5 });
  released.resolve();
  await Promise.all(taken);
  expect(most).toBe(2);
  await expect(queue.run(async () => "done")).resolves.toBe("done");
});
