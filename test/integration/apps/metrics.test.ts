import { windowOf } from "@svc/shared/rules/metrics/metrics-window.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { beforeEach, describe, expect, test } from "vitest";
import { tellMetrics, type ToldSample, type ToldWindow } from "../../support/agent/telling-metrics.ts";
import { useAppWorld } from "../../support/api/app-world.ts";

const world = useAppWorld();
let appId: string;
/** The beginning of an hour's windows of which the first is 50 minutes old, and whole ten minutes begin. */
let begin: number;

beforeEach(async () => {
  ({ appId } = await world.live());
  begin = Math.floor((Date.now() / 1000 - 3000) / 600) * 600 + 600;
});

const USAGE = {
  cpuMilliseconds: 5000,
  memoryBytes: 100n,
  memoryBytesMax: 512n,
  networkBytesIn: 7n,
  networkBytesOut: 9n,
  restarts: 0,
};
const sample = (more: Partial<ToldSample> = {}): ToldSample => ({
  appId,
  requests: 1,
  usage: USAGE,
  latencyCounts: [0, 1],
  ...more,
});
const window = (start: number, more?: Partial<ToldSample>): ToldWindow => ({ start, apps: [sample(more)] });
const minute = (start: number, more?: Partial<ToldSample>) =>
  Array.from({ length: 6 }, (_, place) => window(start + place * 10, more));
const tell = (windows: readonly ToldWindow[], serverId = world.serverId) =>
  tellMetrics(world.http.parts, serverId, windows);

interface Answer {
  since: string;
  until: string;
  step: number;
  series: Record<string, (number | null)[]>;
  deploys: Record<string, unknown>[];
}

const iso = (seconds: number) => new Date(seconds * 1000).toISOString();
async function read(since: number, until: number, step?: number): Promise<Answer> {
  const query = new URLSearchParams({ since: iso(since), until: iso(until), ...(step && { step: String(step) }) });
  const { status, text } = await world.ada.call("GET", `/api/apps/${world.name}/metrics?${query}`);
  expect(status).toBe(200);
  return JSON.parse(text) as Answer;
}
const requestsOf = async (...range: Parameters<typeof read>) => (await read(...range)).series["requests"];
const rowCount = async () => {
  const { rows } = await world.http.database.query(
    "select step, count(*)::integer as count from app_metrics where app_id = $1 group by step order by step",
    [appId],
  );
  return rows.map(({ step, count }) => [step, count]);
};

test("what an agent tells is read back by the step that is asked for, and what it did not tell is null and not 0", async () => {
  await tell([window(begin), window(begin + 10, { requests: 0, latencyCounts: [] }), window(begin + 30)]);
  const { series, since, until, step } = await read(begin, begin + 40, 10);
  expect({ since, until, step }).toEqual({ since: iso(begin), until: iso(begin + 40), step: 10 });
  expect(series).toMatchObject({
    requests: [1, 0, null, 1],
    latency_p99_ms: [1.2, null, null, 1.2],
    cpu_cores: [0.5, 0.5, null, 0.5],
    memory_bytes: [100, 100, null, 100],
    memory_bytes_max: [512, 512, null, 512],
    network_bytes_out: [9, 9, null, 9],
    restarts: [0, 0, null, 0],
  });
});

test("windows are added up by the minute, by ten minutes and by the hour", async () => {
  await tell([
    ...minute(begin, { requests: 2, errors: 1, latencyCounts: [2] }),
    window(begin + 60, {
      requests: 10,
      clientErrors: 3,
      latencyCounts: [...Array.from({ length: 40 }, () => 0), 10],
      usage: { ...USAGE, cpuMilliseconds: 20_000, memoryBytes: 400n, restarts: 2 },
    }),
  ]);
  const minutes = await read(begin, begin + 180, 60);
  expect(minutes.series).toMatchObject({
    requests: [12, 10, null],
    errors: [6, 0, null],
    client_errors: [0, 3, null],
    // Over the time that is known.
    cpu_cores: [0.5, 2, null],
    memory_bytes: [100, 400, null],
    network_bytes_in: [42, 7, null],
    restarts: [0, 2, null],
  });
  const tenMinutes = await read(begin, begin + 600, 600);
  expect(tenMinutes.series).toMatchObject({ requests: [22], errors: [6], memory_bytes: [400], restarts: [2] });
  // 12 of 22 took up to 1 ms, the others about a second: no average of percentiles says so.
  expect(tenMinutes.series["latency_p50_ms"]![0]).toBeLessThanOrEqual(1);
  expect(tenMinutes.series["latency_p99_ms"]![0]).toBeGreaterThan(800);
  const hour = Math.floor(begin / 3600) * 3600;
  expect((await read(hour, hour + 3600, 3600)).series["requests"]).toEqual(hour + 3600 > Date.now() / 1000 ? [] : [22]);
});

test("a sample counts once, however often, in which order and to how many control planes it is told", async () => {
  const told = minute(begin);
  await Promise.all([tell(told), tell(told), tell(told.toReversed())]);
  await tell(told.slice(2));
  await tell([...told, ...told]);
  expect(await requestsOf(begin, begin + 60, 10)).toEqual([1, 1, 1, 1, 1, 1]);
  expect(await requestsOf(begin, begin + 60, 60)).toEqual([6]);
  expect(await requestsOf(begin, begin + 600, 600)).toEqual([6]);
});

test("an agent is asked for what follows the newest window that is stored, so that nothing is missing after a while without it", async () => {
  const serverId = await moveToNewServer();
  expect(await tell(minute(begin), serverId)).toBeUndefined();
  expect(await tell([], serverId)).toBe(begin + 50);
  await tell(minute(begin + 300), serverId);
  await tell(minute(begin + 120), serverId);
  expect(await requestsOf(begin, begin + 360, 60)).toEqual([6, null, 6, null, null, 6]);
});

async function moveToNewServer(): Promise<string> {
  const serverId = await world.http.addServer(`server-${newId()}`);
  await world.http.database.query("update apps set server_id = $1 where id = $2", [serverId, appId]);
  return serverId;
}

test("an app takes so many rows at most, the oldest of which make way", async () => {
  let now = windowOf(Date.now() / 1000) - 60 * 86_400;
  const clock = { ...world.http.parts.clock, now: () => new Date(now * 1000) };
  /** An hour of windows, so far apart. */
  async function tellHour(apartSeconds: number): Promise<void> {
    now += 3600;
    const starts = Array.from({ length: 3600 / apartSeconds }, (_, place) => now - place * apartSeconds);
    await tellMetrics(
      { ...world.http.parts, clock },
      world.serverId,
      starts.map((start) => window(start)),
    );
  }
  for (let hour = 0; hour < 31 * 24; hour++) await tellHour(600);
  for (let hour = 0; hour < 26; hour++) await tellHour(60);
  for (let hour = 0; hour < 2; hour++) await tellHour(10);
  expect(await rowCount()).toEqual([
    [10, 368],
    [60, 1443],
    [600, 4323],
  ]);
});

describe("an agent that is wrong", () => {
  test("about the time writes nothing: neither into the future nor over an hour back, nor between two windows", async () => {
    const now = windowOf(Date.now() / 1000);
    const [month, hour] = [30 * 86_400, 3600];
    await tell([now + month, now + 120, now - hour - 10, now - month, 0, begin + 5].map((start) => window(start)));
    expect(await rowCount()).toEqual([]);
    await tell([window(now + 30), window(now - hour + 60)]);
    expect((await rowCount())[0]).toEqual([10, 2]);
  });

  test("about the app writes nothing: of another server's, of none that there is, and of no id", async () => {
    const elsewhere = await world.http.addServer(`server-${newId()}`);
    await tell([window(begin)], elsewhere);
    await tell([window(begin, { appId: newId() }), window(begin + 10, { appId: "'; drop table apps" })]);
    expect(await rowCount()).toEqual([]);
  });

  test("about numbers breaks nothing", async () => {
    const [count, bytes] = [2 ** 32 - 1, 2n ** 64n - 1n];
    const usage = { ...USAGE, cpuMilliseconds: count, memoryBytes: bytes, networkBytesIn: bytes, restarts: count };
    const latencyCounts = Array.from({ length: 5_000 }, () => count);
    const worst = { requests: count, clientErrors: count, errors: count, latencyCounts, usage };
    await tell(Array.from({ length: 60 }, (_, place) => window(begin + place * 10, worst)));
    expect((await read(begin, begin + 600, 600)).series["requests"]).toEqual([60 * 30_000_000]);
  });
});

test("the deploys that ended in the range come with it", async () => {
  const { deploys } = await read(Date.now() / 1000 - 600, Date.now() / 1000);
  expect(deploys).toEqual([
    { id: expect.any(String), release: expect.any(String), status: "success", finished_at: expect.any(String) },
  ]);
  expect((await read(begin, begin + 60)).deploys).toEqual([]);
});

test("the step follows from the range, and gives 2,000 values at most", async () => {
  const now = Date.now() / 1000;
  const stepOf = async (seconds: number) => {
    const { step, series } = await read(now - seconds, now);
    return [step, series["requests"]!.length <= 2000];
  };
  expect(await Promise.all([60, 3600, 7200, 86_400, 5 * 86_400, 30 * 86_400].map(stepOf))).toEqual(
    [10, 10, 60, 60, 600, 3600].map((step) => [step, true]),
  );
});

test.for([
  ["since=yesterday", "since"],
  ["until=2026-13-01T00:00:00Z", "until"],
  ["step=30", "step"],
  ["since=2026-01-01T00:00:00Z&until=2026-01-01T00:00:00Z", "since must be before until"],
  ["since=2999-01-01T00:00:00Z", "since must be before until"],
  ["since=2020-01-01T00:00:00Z", "kept for 30 days"],
])("%s is refused in words", async ([query, words]) => {
  const { status, json } = await world.ada.call("GET", `/api/apps/${world.name}/metrics?${query}`);
  expect([status, json["detail"]]).toEqual([400, expect.stringContaining(words!)]);
});

test("a step that is not kept for so long, or gives too many values, is refused with what to do", async () => {
  const ask = async (days: number, step: number) =>
    (
      await world.ada.call(
        "GET",
        `/api/apps/${world.name}/metrics?step=${step}&since=${iso(Date.now() / 1000 - days * 86_400)}`,
      )
    ).json["detail"];
  expect(await ask(2, 60)).toMatch(/Values by 60 s are not kept for that long: leave step out/);
  expect(await ask(20, 600)).toMatch(/more than 2000 points: leave step out/);
});

test("a purged app takes its metrics with it, and another team's are answered as those of no app", async () => {
  await tell(minute(begin));
  const eve = await world.http.addCaller();
  expect((await eve.call("GET", `/api/apps/${world.name}/metrics`)).status).toBe(404);
  expect((await world.ada.call("DELETE", `/api/apps/${world.name}?purge=1`)).status).toBeLessThan(300);
  expect(await rowCount()).toEqual([]);
});
