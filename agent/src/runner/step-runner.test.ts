import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "@svc/shared/platform/clock.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { ProxyRouteSpecSchema } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import type { StepResult } from "@svc/shared/gen/svc/agent/v1/events_pb.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { silentLogger } from "@svc/shared/platform/logger.ts";
import { createDummyEngine, type DummyEngine } from "../dummy/engine.ts";
import { createDummyGit } from "../dummy/git.ts";
import { createDummyHost } from "../dummy/host.ts";
import { createDummyProxy } from "../dummy/proxy.ts";
import { openJournal } from "./journal.ts";
import type { RunJournal } from "./journal-run.ts";
import type { StepContext, StepDefinition, StepOutputMessage } from "./step.ts";
import { StepRunner, type RunRequest, type StepTable } from "./step-runner.ts";

const done: StepOutputMessage = { case: "proxyRoute", value: { hosts: ["shop.example"], upstream: "10.0.0.2:80" } };
const app = { id: newId(), name: "shop", ownerId: newId() };

let dataDirectory: string;
let deployId: string;
let failures: { code: string; error: unknown }[];
/** The behaviour of the step under test; `started` resolves with its context when it runs. */
let behaviour: (ctx: StepContext) => Promise<StepOutputMessage>;
let undone: string[];
let logged: string[];

beforeEach(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), "svc-runner-"));
  deployId = newId();
  failures = [];
  undone = [];
  logged = [];
  engine = createDummyEngine();
  behaviour = () => Promise.resolve(done);
});
afterEach(() => rm(dataDirectory, { recursive: true }));

let engine: DummyEngine;

async function createRunner(options: { limitMs?: number; graceMs?: number } = {}): Promise<StepRunner> {
  const step: StepDefinition<unknown> = {
    run: (ctx) => behaviour(ctx),
    undo: (ctx) => Promise.resolve(void undone.push(ctx.deployId)),
  };
  const steps: StepTable = { provision_db: step, clone_build: step, deploy_container: step, proxy_route: step };
  return new StepRunner({
    journal: await openJournal({ dataDirectory, clock: systemClock, log: silentLogger }),
    steps,
    ports: {
      git: createDummyGit(),
      engine,
      proxy: createDummyProxy(),
      host: createDummyHost(),
    },
    dataDirectory,
    clock: systemClock,
    log: pino({}, { write: (line) => void logged.push(line) }),
    observer: {
      runStarted: () => undefined,
      runEnded: () => undefined,
      failed: (code, error) => failures.push({ code, error }),
    },
    limitMs: () => options.limitMs ?? 60_000,
    graceMs: options.graceMs ?? 60_000,
  });
}

function request(run = 1): RunRequest {
  return { deployId, app, run, work: { step: "proxy_route", spec: create(ProxyRouteSpecSchema) } };
}

async function resultOf(run: RunJournal): Promise<StepResult["outcome"]> {
  let last: StepResult["outcome"] = { case: undefined };
  for await (const events of run.events(0n, new AbortController().signal)) {
    const { body } = events.at(-1)!;
    if (body.case === "result") last = body.value.outcome;
  }
  return last;
}

const untilAborted = ({ signal }: StepContext): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(new Error("killed")), { once: true });
  });

describe("while the engine is away", () => {
  test("a run begins when it answers, and its user reads why it waits", async () => {
    engine.knobs.down = true;
    const run = await (await createRunner()).run(request());
    const events = run.events(0n, new AbortController().signal);
    const first = await events.next();
    expect(first.value).toMatchObject([
      { body: { value: { message: expect.stringMatching(/waiting for .* engine/) } } },
    ]);
    await events.return(undefined);
    engine.knobs.down = false;
    expect((await resultOf(run)).case).toBe("success");
  });

  test("a run that it went away from may be run once more, and fails then", async () => {
    behaviour = (ctx) => {
      engine.knobs.down = true;
      setImmediate(() => (engine.knobs.down = false));
      return ctx.engine.list({}).then(() => done);
    };
    const runner = await createRunner();
    expect((await resultOf(await runner.run(request(1)))).case).toBe("interrupted");
    const second = await resultOf(await runner.run(request(2)));
    const message = expect.stringContaining("which had been interrupted before") as string;
    expect(second).toMatchObject({ case: "failure", value: { code: "engine_unavailable", message } });
  });

  test("a run that waits for it ends when the deploy is canceled", async () => {
    engine.knobs.down = true;
    const runner = await createRunner();
    const run = await runner.run(request());
    await runner.cancel(deployId);
    expect((await resultOf(run)).case).toBe("canceled");
  });
});

describe("a run of a step", () => {
  test("lines of the app's log in its error reach the owner, and no log or status of the agent", async () => {
    behaviour = () => Promise.reject(new SvcError("app_exited", "The app ended.\nIts last log lines:\ns3cret"));
    const runner = await createRunner();
    const run = await runner.run(request());
    expect(await resultOf(run)).toMatchObject({
      case: "failure",
      value: { message: expect.stringContaining("s3cret") },
    });
    expect(failures).toMatchObject([{ code: "app_exited", error: { message: "The app ended." } }]);
    expect(logged.join("")).toContain("The app ended.");
    expect(logged.join("")).not.toContain("s3cret");
  });

  test("ends with the step's output", async () => {
    const run = await (await createRunner()).run(request());
    expect(await resultOf(run)).toMatchObject({ case: "success", value: { output: done } });
  });

  test("asking twice runs it once", async () => {
    let runs = 0;
    const go = Promise.withResolvers<StepOutputMessage>();
    behaviour = () => ((runs += 1), go.promise);
    const runner = await createRunner();
    const [first, second] = await Promise.all([runner.run(request()), runner.run(request())]);
    expect(first).toBe(second);
    go.resolve(done);
    await resultOf(first);
    await resultOf(await runner.run(request()));
    expect(runs).toBe(1);
  });

  test("another step of the deploy, or of its app, is refused while one runs", async () => {
    behaviour = untilAborted;
    const runner = await createRunner();
    await runner.run(request());
    const refused = { code: "deploy_in_progress" };
    await expect(runner.run({ ...request(), deployId: newId() })).rejects.toMatchObject(refused);
    const other = { ...app, id: newId() };
    await expect(runner.run({ ...request(), app: other, run: 2 })).rejects.toMatchObject(refused);
    await runner.cancel(deployId);
  });

  test("runs beside a step of another app, and each is canceled by itself", async () => {
    behaviour = untilAborted;
    const runner = await createRunner();
    const [own, rollback] = [request(), { ...request(), deployId: newId(), app: { ...app, id: newId() } }];
    const runs = [await runner.run(own), await runner.run(rollback)];
    expect(runner.worksOn(rollback.app.id)).toBe(true);
    expect(await runner.cancel(rollback.deployId)).toBe(true);
    expect(await resultOf(runs[1]!)).toMatchObject({ case: "canceled" });
    expect([runner.stepOf(deployId), runner.stepOf(rollback.deployId)]).toEqual(["proxy_route", undefined]);
    await runner.cancel(deployId);
  });

  test("a known error is told with its sentence, an unknown one without its cause", async () => {
    behaviour = () => Promise.reject(new SvcError("app_exited", "The app exited with 1.", { cause: "secret" }));
    const runner = await createRunner();
    expect(await resultOf(await runner.run(request()))).toMatchObject({
      case: "failure",
      value: { code: "app_exited", message: "The app exited with 1." },
    });
    behaviour = () => Promise.reject(new TypeError("secret of the machine"));
    deployId = newId();
    const outcome = await resultOf(await runner.run(request()));
    expect(outcome).toMatchObject({ case: "failure", value: { code: "internal" } });
    expect(JSON.stringify(outcome)).not.toContain("secret");
    expect(failures.map(({ code }) => code)).toEqual(["app_exited", "internal"]);
    expect(failures[1]!.error).toMatchObject({ message: "secret of the machine" });
  });

  test("cancel resolves after the step has ended, and the result is canceled", async () => {
    const cleaned = Promise.withResolvers<void>();
    let hasEnded = false;
    behaviour = async (ctx) => {
      await untilAborted(ctx).catch(() => undefined);
      await cleaned.promise;
      hasEnded = true;
      throw new Error("killed");
    };
    const runner = await createRunner();
    const run = await runner.run(request());
    const canceling = runner.cancel(deployId).then(() => hasEnded);
    cleaned.resolve();
    expect(await canceling).toBe(true);
    expect(await resultOf(run)).toMatchObject({ case: "canceled" });
    expect(await runner.cancel(deployId)).toBe(false);
  });

  test("cancel of another deploy leaves it alone", async () => {
    const go = Promise.withResolvers<StepOutputMessage>();
    behaviour = () => go.promise;
    const runner = await createRunner();
    const run = await runner.run(request());
    expect(await runner.cancel(newId())).toBe(false);
    go.resolve(done);
    expect(await resultOf(run)).toMatchObject({ case: "success" });
  });

  test("one that takes too long is stopped with step_timed_out", async () => {
    behaviour = untilAborted;
    const run = await (await createRunner({ limitMs: 20 })).run(request());
    expect(await resultOf(run)).toMatchObject({ case: "failure", value: { code: "step_timed_out" } });
  });

  test("one that ignores its signal does not hold the host for ever", async () => {
    behaviour = () => new Promise(() => undefined);
    const run = await (await createRunner({ limitMs: 20, graceMs: 20 })).run(request());
    expect(await resultOf(run)).toMatchObject({ case: "failure", value: { code: "step_timed_out" } });
  });

  test("is interrupted when the agent stops, may then be run once more, and a third time never", async () => {
    behaviour = untilAborted;
    const runner = await createRunner();
    const run = await runner.run(request());
    await expect(runner.run(request(2))).rejects.toMatchObject({ code: "deploy_in_progress" });
    await runner.stop(10);
    expect(await resultOf(run)).toMatchObject({ case: "interrupted" });
    await expect(runner.run(request(2))).rejects.toMatchObject({ code: "agent_away" });

    behaviour = () => Promise.resolve(done);
    const next = await createRunner();
    expect(await resultOf(await next.run(request(1)))).toMatchObject({ case: "interrupted" });
    expect(await resultOf(await next.run(request(2)))).toMatchObject({ case: "success" });
  });

  test("that did not end interrupted is not run again", async () => {
    const runner = await createRunner();
    await expect(runner.run(request(2))).rejects.toMatchObject({ code: "invalid_request" });
    await resultOf(await runner.run(request(1)));
    await expect(runner.run(request(2))).rejects.toMatchObject({ code: "invalid_request" });
  });

  test("is not undone while it goes on", async () => {
    behaviour = untilAborted;
    const runner = await createRunner();
    const { signal } = new AbortController();
    await runner.run(request());
    await expect(runner.undo("proxy_route", deployId, app, signal)).rejects.toMatchObject({
      code: "deploy_in_progress",
    });
    await runner.cancel(deployId);
    await runner.undo("proxy_route", deployId, app, signal);
    expect(undone).toEqual([deployId]);
  });
});
