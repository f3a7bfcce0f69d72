import { afterAll, beforeAll, expect, test } from "vitest";
import { program } from "../support/platform/apps.ts";
import { startPlatformWithGit, type PlatformWithGit } from "../support/platform/platform-with-git.ts";
import { eventually } from "../support/tools/eventually.ts";

const APP = program(`
require("node:http").createServer((req, res) => {
  res.statusCode = { "/fail": 500, "/missing": 404 }[req.url] ?? 200;
  const end = Date.now() + (req.url === "/burn" ? 3_000 : 0);
  while (Date.now() < end);
  if (req.url === "/end") setTimeout(() => process.exit(1), 100);
  res.end("hello");
}).listen(process.env.PORT, "0.0.0.0");
`);

type Values = (number | null)[];

let setup: PlatformWithGit;
/** Requests that were sent, by the class of their status. */
const sent = { requests: 0, client_errors: 0, errors: 0 };

beforeAll(async () => {
  setup = await startPlatformWithGit();
  await setup.createApp("shop", APP);
  expect((await setup.platform.deploy("shop")).deploy.status).toBe("success");
});
afterAll(() => setup?.stop());

async function send(path: string, times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    const { status } = await setup.platform.fetchApp("shop", path);
    sent.requests += 1;
    if (status >= 500) sent.errors += 1;
    else if (status >= 400) sent.client_errors += 1;
  }
}

async function read(step: number): Promise<Record<string, Values>> {
  const { body } = await setup.platform.api("GET", `/api/apps/shop/metrics?step=${step}`);
  return (body as { series: Record<string, Values> }).series;
}
const sum = (values: Values = []): number => values.reduce<number>((all, value) => all + (value ?? 0), 0);
const most = (values: Values = []): number => Math.max(...values.map((value) => value ?? 0));
const counted = async (step = 10) => {
  const series = await read(step);
  return {
    requests: sum(series["requests"]),
    client_errors: sum(series["client_errors"]),
    errors: sum(series["errors"]),
  };
};
/** Waits until as much was counted as was sent, then looks that it is no more. */
async function expectAllCounted(step = 10, deadlineMs = 30_000): Promise<void> {
  await eventually(
    () => counted(step),
    ({ requests }) => requests >= sent.requests,
    { what: "all requests are counted", deadlineMs },
  );
  expect(await counted(step)).toEqual(sent);
}

test("exactly the requests and errors that were sent are counted, also while the control plane is killed", async () => {
  await send("/", 30);
  await send("/fail", 7);
  await setup.platform.controlPlane.stop("SIGKILL");
  await send("/missing", 5);
  await send("/", 20);
  await setup.platform.controlPlane.start();
  await send("/", 11);
  await expectAllCounted();
});

test("what was counted and not told yet when the agent was killed is counted once, and what came meanwhile too", async () => {
  await send("/fail", 3);
  await send("/", 4);
  await setup.platform.agent.stop("SIGKILL");
  await send("/", 9);
  await setup.platform.agent.start();
  await send("/missing", 2);
  await expectAllCounted();
});

test("processors, memory, network and restarts are those of the app", async () => {
  // The agent was just started: it knows what is used from its first whole window on.
  const known = ({ cpu_cores: cores = [] }: Record<string, Values>): number =>
    cores.filter((value) => value !== null).length;
  const before = known(await read(10));
  const wait = { what: "what the app used is told", deadlineMs: 40_000 };
  await eventually(
    () => read(10),
    (series) => known(series) > before,
    wait,
  );
  await send("/burn", 1);
  await eventually(
    () => read(10),
    ({ cpu_cores: cores }) => most(cores) > 0.1,
    wait,
  );
  await send("/end", 1);
  const series = await eventually(
    () => read(10),
    ({ restarts }) => sum(restarts) > 0,
    wait,
  );
  expect(most(series["cpu_cores"])).toBeLessThan(1.1);
  expect(sum(series["restarts"])).toBe(1);
  const [memory, cap] = [most(series["memory_bytes"]), most(series["memory_bytes_max"])];
  expect(memory).toBeGreaterThan(5 * 1024 ** 2);
  expect(memory).toBeLessThan(cap);
  expect(sum(series["network_bytes_in"])).toBeGreaterThan(1_000);
  // Somebody burnt a processor for three seconds.
  expect(most(series["latency_p99_ms"])).toBeGreaterThan(2_000);
});

test("minutes add up to the same", async () => {
  await expectAllCounted(60, 90_000);
});
