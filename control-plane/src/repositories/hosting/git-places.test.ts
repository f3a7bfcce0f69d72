import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  PLACES_MAX,
  PLACES_OF_USER_MAX,
  PLACES_OF_USERS_MAX,
  takeGitPlace,
  WAITING_OF_DEPLOYS_MAX,
  WAITING_OF_USER_MAX,
  WAITING_OF_USERS_MAX,
} from "./git-places.ts";

const held: (() => void)[] = [];

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  for (const leave of held.splice(0)) leave();
  vi.useRealTimers();
});

async function hold(userId: string | undefined, count = 1): Promise<void> {
  for (let i = 0; i < count; i += 1) held.push(await takeGitPlace(userId));
}

/** Settles, or says that it waits. */
async function stateOf(place: Promise<() => void>): Promise<string> {
  const taken = place.then(
    (leave) => {
      if (!held.includes(leave)) held.push(leave);
      return "taken";
    },
    ({ code }: { code: string }) => code,
  );
  const waits = Promise.resolve()
    .then(() => undefined)
    .then(() => undefined)
    .then(() => undefined)
    .then(() => "waits");
  return Promise.race([taken, waits]);
}

test("a user who has all of their places waits for one, and takes it as soon as it is free", async () => {
  await hold("ada", PLACES_OF_USER_MAX);
  const next = takeGitPlace("ada");
  expect(await stateOf(next)).toBe("waits");
  expect(await stateOf(takeGitPlace("eve"))).toBe("taken");
  held.shift()!();
  expect(await stateOf(next)).toBe("taken");
});

test("a user who waits in vain is told after ten seconds when to try again, and takes no place", async () => {
  await hold("ada", PLACES_OF_USER_MAX);
  const [refused] = await Promise.allSettled([takeGitPlace("ada"), vi.advanceTimersByTimeAsync(10_000)]);
  expect(refused).toMatchObject({ reason: { code: "rate_limited", retryAfterSeconds: 5 } });
  held.shift()!();
  expect(await stateOf(takeGitPlace("ada"))).toBe("taken");
});

test("a client that goes away no longer waits", async () => {
  await hold("ada", PLACES_OF_USER_MAX);
  const gone = new AbortController();
  const place = takeGitPlace("ada", gone.signal);
  gone.abort(new Error("gone"));
  await expect(place).rejects.toThrow("gone");
  held.shift()!();
  expect(await stateOf(takeGitPlace("ada"))).toBe("taken");
});

test("one user's requests that wait keep nobody else waiting, and are bounded", async () => {
  await hold("ada", PLACES_OF_USER_MAX);
  const waiting = Array.from({ length: WAITING_OF_USER_MAX }, () => takeGitPlace("ada"));
  await expect(takeGitPlace("ada")).rejects.toMatchObject({ code: "rate_limited" });
  expect(await stateOf(takeGitPlace("eve"))).toBe("taken");
  const ended = Promise.allSettled(waiting);
  await vi.advanceTimersByTimeAsync(10_000);
  expect((await ended).map(({ status }) => status)).toEqual(waiting.map(() => "rejected"));
});

test("however many users ask, deploys keep places of their own", async () => {
  for (let i = 0; i < PLACES_OF_USERS_MAX; i += 1) await hold(`user-${i}`);
  const late = takeGitPlace("late");
  expect(await stateOf(late)).toBe("waits");
  await hold(undefined, PLACES_MAX - PLACES_OF_USERS_MAX);
  const [refused] = await Promise.allSettled([late, vi.advanceTimersByTimeAsync(10_000)]);
  expect(refused).toMatchObject({ reason: { code: "rate_limited" } });
});

test("deploys wait in a queue of their own, which no number of waiting users fills, and both queues are bounded", async () => {
  for (let i = 0; i < PLACES_OF_USERS_MAX; i += 1) await hold(`user-${i}`);
  await hold(undefined, PLACES_MAX - PLACES_OF_USERS_MAX);
  const users = Array.from({ length: WAITING_OF_USERS_MAX }, (_, i) => takeGitPlace(`waiting-${i}`));
  await expect(takeGitPlace("late")).rejects.toMatchObject({ code: "rate_limited" });
  const deploys = Array.from({ length: WAITING_OF_DEPLOYS_MAX }, () => takeGitPlace(undefined));
  expect(await stateOf(deploys[0]!)).toBe("waits");
  await expect(takeGitPlace(undefined)).rejects.toMatchObject({ code: "rate_limited" });
  held.pop()!();
  expect(await stateOf(deploys[0]!)).toBe("taken");
  const ended = Promise.allSettled([...users, ...deploys]);
  await vi.advanceTimersByTimeAsync(10_000);
  const outcomes = (await ended).map(({ status }) => status);
  expect(outcomes.filter((status) => status === "fulfilled")).toHaveLength(1);
});
