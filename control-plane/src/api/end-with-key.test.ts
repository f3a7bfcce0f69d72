import { setImmediate } from "node:timers/promises";
import { SvcError } from "@svc/shared/errors.ts";
import { expect, test } from "vitest";
import type { Caller } from "../accounts/authenticate.ts";
import { endWithKey } from "./end-with-key.ts";

const caller: Caller = {
  userId: "user-1",
  teamId: "team-1",
  teams: [{ teamId: "team-1", role: "owner" }],
  emailVerified: true,
  tier: "free",
  scopes: null,
  apps: null,
  expiresInMs: Number.POSITIVE_INFINITY,
};

/** An answer that goes on until its source has been told to end, which takes that source a moment. */
function watched(onCancel: () => Promise<void>) {
  let isRevoked = false;
  let change = (): void => {};
  const source = new ReadableStream<Uint8Array>({ cancel: onCancel }, { highWaterMark: 0 });
  const response = endWithKey(new Response(source), {
    caller,
    authorize: () =>
      isRevoked ? Promise.reject(new SvcError("unauthorized", "It is revoked.")) : Promise.resolve(caller),
    onChange: (listener) => {
      change = listener;
      return () => undefined;
    },
  });
  const revoke = (): void => {
    isRevoked = true;
    change();
  };
  return { reader: response.body!.getReader(), revoke };
}

test("an answer ends when its key does, and its source with it", async () => {
  let canceled = 0;
  const { reader, revoke } = watched(() => Promise.resolve(void (canceled += 1)));
  const next = reader.read();
  revoke();
  expect(await next).toEqual({ done: true, value: undefined });
  expect(canceled).toBe(1);
});

test("a client that hangs up while its answer ends takes nothing with it", async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  process.on("unhandledRejection", note);
  const ending = Promise.withResolvers<void>();
  const { reader, revoke } = watched(() => ending.promise);
  revoke();
  for (let turn = 0; turn < 5; turn++) await setImmediate();
  await reader.cancel();
  ending.resolve();
  for (let turn = 0; turn < 5; turn++) await setImmediate();
  process.off("unhandledRejection", note);
  expect(unhandled).toEqual([]);
});
