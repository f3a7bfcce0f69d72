import { appendFile, mkdir, mkdtemp, open, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "@svc/shared/platform/clock.ts";
import type { StepEvent } from "@svc/shared/gen/svc/agent/v1/events_pb.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { silentLogger } from "@svc/shared/platform/logger.ts";
import { LOG_BYTES_MAX } from "../engine/logs/log-budget.ts";
import { openJournal, type Journal } from "./journal.ts";
import { RunJournal, type RunKey } from "./journal-run.ts";

const app = { id: newId(), name: "shop" };
const never = new AbortController().signal;
const fail = (error: unknown): void => {
  throw error;
};

let dataDirectory: string;
let key: RunKey;
const reopen = (): Promise<Journal> => openJournal({ dataDirectory, clock: systemClock, log: silentLogger });

beforeEach(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), "svc-journal-"));
  key = { deployId: newId(), step: "clone_build", run: 1 };
});
afterEach(() => rm(dataDirectory, { recursive: true }));

async function read(run: RunJournal, after = 0n): Promise<StepEvent[]> {
  const events: StepEvent[] = [];
  for await (const batch of run.events(after, never)) events.push(...batch);
  return events;
}

const linesOf = (events: StepEvent[]): string[] =>
  events.flatMap(({ body }) => (body.case === "logLines" ? body.value.lines : []));

const pathOf = ({ deployId, step, run }: RunKey): string =>
  join(dataDirectory, "journal", deployId, `${step}-${run}.jsonl`);

describe("the journal of a run", () => {
  test("a reader gets every event once, in order and without gaps, while the run goes on", async () => {
    const run = await (await reopen()).begin(key, app, fail);
    const reading = read(run);
    run.progress("fetching main");
    for (let i = 0; i < 1200; i += 1) run.log(`line ${i}`);
    await run.finish({ case: "success", value: {} });
    const events = await reading;
    expect(events.map(({ number }) => Number(number))).toEqual(events.map((_, i) => i + 1));
    expect(events[0]!.body).toMatchObject({ case: "progress", value: { message: "fetching main" } });
    expect(linesOf(events)).toEqual(Array.from({ length: 1200 }, (_, i) => `line ${i}`));
    expect(events.at(-1)!.body.case).toBe("result");
  });

  test("a reader that comes back continues after the number it has", async () => {
    const run = await (await reopen()).begin(key, app, fail);
    for (let i = 0; i < 1200; i += 1) run.log(`line ${i}`);
    await run.finish({ case: "success", value: {} });
    const all = await read(run);
    expect(await read(run, 2n)).toEqual(all.slice(2));
    const loaded = await (await reopen()).find(key);
    expect(await read(loaded!, 2n)).toEqual(all.slice(2));
  });

  test("a reader whose stream breaks leaves nothing behind and the run goes on", async () => {
    const run = await (await reopen()).begin(key, app, fail);
    const broken = new AbortController();
    const reading = run.events(0n, broken.signal).next();
    broken.abort(new Error("gone"));
    await expect(reading).rejects.toThrow("gone");
    run.log("still here");
    await run.finish({ case: "canceled", value: {} });
    expect(linesOf(await read(run))).toEqual(["still here"]);
  });

  test("a log beyond its limit keeps start and end, and says how many lines are missing", async () => {
    const run = await (await reopen()).begin(key, app, fail);
    const line = "x".repeat(16_000);
    const written = Math.floor(LOG_BYTES_MAX / 16_001);
    for (let i = 0; i < written + 500; i += 1) run.log(line);
    run.log("the reason why it failed");
    await run.finish({ case: "failure", value: { code: "build_failed", message: "no" } });
    const last = (await read(run)).at(-2)!.body;
    expect(last.case === "logLines" && last.value.lines.at(-1)).toBe("the reason why it failed");
    expect(last.case === "logLines" && Number(last.value.dropped)).toBeGreaterThan(400);
    expect((await stat(pathOf(key))).size).toBeLessThan(LOG_BYTES_MAX * 1.2);
  });

  test("100,000 lines arrive within seconds", async () => {
    const run = await (await reopen()).begin(key, app, fail);
    const started = performance.now();
    for (let i = 0; i < 100_000; i += 1) run.log(`#12 4.567 added package number ${i}`);
    await run.finish({ case: "success", value: {} });
    expect(linesOf(await read(run))).toHaveLength(100_000);
    expect(performance.now() - started).toBeLessThan(5000);
  });

  test("a result that the reader's number is already beyond is still delivered", async () => {
    // The host lost the journal's end with its power; the control plane had stored it.
    const run = await (await reopen()).begin(key, app, fail);
    await run.finish({ case: "interrupted", value: {} });
    expect(await read(run, 40n)).toMatchObject([{ number: 41n, body: { case: "result" } }]);
  });

  test("a run that an earlier process left open ends interrupted, its half-written event cut off", async () => {
    const run = await (await reopen()).begin(key, app, fail);
    run.progress("building");
    const events = run.events(0n, never);
    await events.next();
    await events.return(undefined);
    await appendFile(pathOf(key), '{"number":"2","logLi');
    const found = await (await reopen()).find(key);
    expect(found?.result?.outcome.case).toBe("interrupted");
    expect(await read(found!)).toMatchObject([
      { number: 1n, body: { case: "progress" } },
      { number: 2n, body: { case: "result", value: { outcome: { case: "interrupted" } } } },
    ]);
    await run.finish({ case: "canceled", value: {} });
  });

  test("a run whose disk is full still tells its result", async () => {
    const errors: unknown[] = [];
    const path = join(dataDirectory, "full.jsonl");
    await writeFile(path, "{}\n");
    const run = new RunJournal({
      key,
      app,
      path,
      clock: systemClock,
      size: 3,
      lastNumber: 0n,
      file: await open("/dev/full", "r+"),
      result: undefined,
      onWriteError: (error) => errors.push(error),
    });
    run.log("lost");
    await run.finish({ case: "failure", value: { code: "disk_full", message: "full" } });
    expect(await read(run)).toMatchObject([{ number: 1n, body: { case: "result" } }]);
    expect(errors[0]).toMatchObject({ code: "ENOSPC" });
  });

  test("a file without a whole header does not keep its run from beginning", async () => {
    const journal = await reopen();
    await mkdir(join(dataDirectory, "journal", key.deployId), { recursive: true });
    await writeFile(pathOf(key), '{"app":{"id"');
    const run = await journal.begin(key, app, fail);
    await run.finish({ case: "success", value: {} });
    expect((await (await reopen()).find(key))?.result?.outcome.case).toBe("success");
  });

  test("a run whose last event the disk refused is found as interrupted", async () => {
    const journal = await reopen();
    await mkdir(join(dataDirectory, "journal", key.deployId), { recursive: true });
    await writeFile(pathOf(key), `${JSON.stringify({ app })}\n`);
    expect((await journal.find(key))?.result?.outcome.case).toBe("interrupted");
  });

  test("only the newest deploys are kept", async () => {
    const journal = await reopen();
    for (let i = 0; i < 53; i += 1) {
      const run = await journal.begin({ ...key, deployId: newId() }, app, fail);
      await run.finish({ case: "success", value: {} });
    }
    expect(await readdir(join(dataDirectory, "journal"))).toHaveLength(50);
  });

  test("the database's password goes when the deploy is over", async () => {
    const journal = await reopen();
    const provisioning: RunKey = { ...key, step: "provision_db" };
    const run = await journal.begin(provisioning, app, fail);
    await run.finish({ case: "success", value: {} });
    await journal.forgetSecrets(key.deployId);
    expect(await journal.find(provisioning)).toBeUndefined();
  });
});
