import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { systemClock } from "@svc/shared/platform/clock.ts";
import { UpstreamStates } from "./upstream-states.ts";

/** A time that stands still until the test moves it. */
function setUp() {
  let now = 0;
  const told: number[] = [];
  const clock = { ...systemClock, now: () => new Date(now) };
  const states = new UpstreamStates(clock, () => told.push(now));
  return { states, told, later: (ms: number) => (now += ms) };
}

async function listen(port = 0) {
  const server = createServer((socket) => socket.destroy()).listen(port, "127.0.0.1");
  await once(server, "listening");
  const { port: own } = server.address() as AddressInfo;
  return { upstream: `127.0.0.1:${own}`, port: own, close: () => new Promise((resolve) => server.close(resolve)) };
}

test("an upstream is reported once when it has failed for 2 s, and once when it accepts again", async () => {
  const { states, told, later } = setUp();
  const { upstream, port, close } = await listen();
  expect(await states.ask(upstream)).toBeUndefined();
  await close();
  for (let second = 0; second < 5; second += 1) {
    later(1000);
    expect(await states.ask(upstream)).toBe("ECONNREFUSED");
  }
  expect([told, await states.failingSince(upstream)]).toEqual([[3000], 1000]);
  const again = await listen(port);
  later(1000);
  await states.ask(upstream);
  await again.close();
  expect([told, await states.failingSince(upstream)]).toEqual([[3000, 6000], undefined]);
});

test("an upstream that was never asked is asked, one that was is not, and one that is forgotten is asked anew", async () => {
  const { states } = setUp();
  const { upstream, close } = await listen();
  expect(await states.failingSince(upstream)).toBeUndefined();
  await close();
  expect(await states.failingSince(upstream)).toBeUndefined();
  states.keepOnly(new Set());
  expect(await states.failingSince(upstream)).toBe(0);
});
