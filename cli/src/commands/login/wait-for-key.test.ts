import { expect, test } from "vitest";
import type { PollAnswer } from "../../api/device-flow.ts";
import { unreachable } from "../../api/patient-fetch.ts";
import { failed, serviceFault } from "../../output/cli-error.ts";
import { waitForKey } from "./wait-for-key.ts";

const pending: PollAnswer = { state: "pending" };
const slower: PollAnswer = { state: "slow_down" };
const approved: PollAnswer = { state: "approved", key: "svc_x", team: { id: "1", name: "Acme" } };

/** Each poll gets the next answer, the last one for good; pauses take no time but on the clock. */
async function wait(answers: (PollAnswer | Error)[]) {
  const pauses: number[] = [];
  let now = 0;
  const poll = async (): Promise<PollAnswer> => {
    const answer = answers.length > 1 ? answers.shift()! : answers[0]!;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const code = { intervalSeconds: 5, expiresInSeconds: 600 };
  const pause = async (ms: number): Promise<void> => {
    pauses.push(ms);
    now += ms;
  };
  return { answer: await waitForKey(poll, code, { pause, now: () => now }), pauses };
}

test("the service is asked no sooner than it wants, and 5 s later for good each time that it says so", async () => {
  const { answer, pauses } = await wait([pending, slower, pending, slower, approved]);
  expect(answer).toEqual(approved);
  expect(pauses).toEqual([5_100, 5_100, 10_100, 10_100, 15_100]);
});

test("a login that nobody approves ends when the code does", async () => {
  await expect(wait([pending])).rejects.toMatchObject({ code: "expired_token", exit: 3 });
});

test("a fault of the service, such as a database that is away, ends the login only when it stays", async () => {
  const fault = serviceFault("0198c0de");
  expect((await wait([fault, pending, fault, approved])).answer).toEqual(approved);
  await expect(wait([pending, fault])).rejects.toBe(fault);
});

test("a refusal ends the login, and a service that is away for a moment does not", async () => {
  const [denied, away] = [failed("access_denied", "no"), unreachable("https://deploy.example.com", "ECONNREFUSED")];
  await expect(wait([pending, denied])).rejects.toBe(denied);
  expect((await wait([away, pending, away, approved])).answer).toEqual(approved);
  await expect(wait([pending, away])).rejects.toBe(away);
});
