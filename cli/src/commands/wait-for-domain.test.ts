import { expect, test } from "vitest";
import { unreachable } from "../api/patient-fetch.ts";
import { WAIT_MS_MAX, waitedInVain, waitForDomain, type DomainStage } from "./wait-for-domain.ts";

const unproven: DomainStage = { stage: "unproven", detail: "There is no TXT record.", records: [] };
const pending: DomainStage = { stage: "pending", detail: "It is being ordered.", records: [] };
const active: DomainStage = { stage: "active", detail: "It is served." };

/** Each look sees the next stage, the last one for good; pauses take no time but on the clock. */
async function wait(stages: (DomainStage | Error)[]) {
  const [shown, pauses]: [string[], number[]] = [[], []];
  let now = 0;
  const look = async (): Promise<DomainStage> => {
    const seen = stages.length > 1 ? stages.shift()! : stages[0]!;
    if (seen instanceof Error) throw seen;
    return seen;
  };
  const last = await waitForDomain(look, {
    show: ({ stage }) => void shown.push(stage),
    async pause(ms) {
      pauses.push(ms);
      now += ms;
    },
    now: () => now,
  });
  return { last, shown, pauses, passedMs: now };
}

test("each state is shown once, and the wait ends as soon as the domain is served", async () => {
  const { last, shown, pauses } = await wait([unproven, unproven, pending, pending, active]);
  expect([last, shown, pauses.length]).toEqual([active, ["unproven", "pending", "active"], 4]);
});

test("a service that is away for a moment does not end the wait; one that stays away for two minutes does", async () => {
  const away = unreachable("https://deploy.example.com", "ECONNREFUSED");
  expect((await wait([unproven, away, away, active])).last).toEqual(active);
  await expect(wait([unproven, away])).rejects.toBe(away);
  await expect(wait([away])).rejects.toBe(away);
});

test("the pauses leave the writes that a user has to others", async () => {
  const { pauses } = await wait([unproven]);
  let passedMs = 0;
  const inFirstMinute = pauses.filter((ms) => (passedMs += ms) <= 60_000).length;
  expect(inFirstMinute).toBeLessThan(10);
  expect(pauses.at(-1)).toBe(20_000);
});

test.each([
  [
    unproven,
    "domain_not_verified",
    "was not proven within 15 min, so it is not attached to shop. There is no TXT record.",
  ],
  [pending, "domain_pending", "is attached to shop, and was not served within 15 min. It is being ordered."],
])("a wait that is over without success says how far it came", async (stage, code, sentence) => {
  const { last, passedMs } = await wait([stage]);
  expect(passedMs).toBeLessThanOrEqual(WAIT_MS_MAX);
  const error = waitedInVain("shop", "shop.example.com", last);
  expect([error.code, error.exit]).toEqual([code, 1]);
  expect(error.message).toContain(sentence);
});
