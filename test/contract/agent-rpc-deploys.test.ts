import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { status as Code } from "@grpc/grpc-js";
import { describe, expect } from "vitest";
import { create } from "@bufbuild/protobuf";
import { proxyRoute } from "@svc/agent/steps/proxy-route.ts";
import { ProxyRouteSpecSchema } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { stepDone, untilAborted } from "../support/agent/agent-in-process.ts";
import { AGENT, app, type AgentWire } from "../support/agent/agent-wire.ts";
import { agentWireTest as test } from "../support/agent/agent-wire-test.ts";
import { runDummyContainer } from "../support/agent/dummy-containers.ts";
import { eventually } from "../support/tools/eventually.ts";
import { errorOf, type Message } from "../support/agent/grpc-client.ts";

describe("the lock over the wire", () => {
  test("is held by one deploy, which is named to the others with the time since when", async ({ wire }) => {
    const [holder, other] = [newId(), newId()];
    const { lock } = (await wire.takeLock(holder)) as { lock: Message };
    expect(lock).toMatchObject({ holder: { deploy_id: holder, attempt: 1 }, step: "STEP_UNSPECIFIED" });
    const error = await errorOf(wire.takeLock(other));
    expect(error).toMatchObject({ code: Code.FAILED_PRECONDITION, detail: "lock_held" });
    expect(error.message).toContain(`Deploy ${holder} holds this server's lock since 20`);
    const { status } = (await wire.call("GetStatus", {})) as { status: Message };
    expect(status["lock"]).toMatchObject({ holder: { deploy_id: holder } });
  });

  test("obeys the newest attempt alone, is renewed and released", async ({ wire }) => {
    const deployId = newId();
    await wire.takeLock(deployId, 1);
    await wire.takeLock(deployId, 2);
    const stale = { lock: { deploy_id: deployId, attempt: 1 }, lease_seconds: 30, app };
    for (const method of ["TakeLock", "RenewLock", "ReleaseLock", "CancelDeploy"]) {
      expect((await errorOf(wire.call(method, stale))).detail).toBe("stale_attempt");
    }
    const newest = { ...stale, lock: { deploy_id: deployId, attempt: 2 } };
    await wire.call("RenewLock", newest);
    await wire.call("ReleaseLock", newest);
    await wire.call("ReleaseLock", newest);
    await wire.takeLock(newId());
  });

  test("of a rollback is of its app alone: steps of both run at once, and the app's own deploy is refused", async ({
    wire,
  }) => {
    const [deploy, rollback] = [newId(), newId()];
    const other = { id: newId(), name: "blog" };
    const finish = Promise.withResolvers<void>();
    wire.agent.script.run = async () => {
      await finish.promise;
      return { case: "proxyRoute", value: { hosts: [], upstream: "" } };
    };
    await wire.takeLock(deploy, 1, { app: other });
    await wire.takeLock(rollback, 1, { app, rollback: true });
    expect((await errorOf(wire.takeLock(newId(), 1, { app, rollback: true }))).detail).toBe("lock_held");
    expect((await errorOf(wire.takeLock(newId(), 1, { app: other, rollback: true }))).detail).toBe("lock_held");
    const running = [wire.runStep(deploy, { app: other }), wire.runStep(rollback)];
    type Locks = { status: { lock: Message; rollbacks: Message[] } };
    const { status } = await eventually(
      () => wire.call("GetStatus", {}) as Promise<Locks>,
      (answer) => [answer.status.lock, ...answer.status.rollbacks].every(({ step }) => step === "STEP_PROXY_ROUTE"),
      { what: "both steps run" },
    );
    expect(status).toMatchObject({
      lock: { holder: { deploy_id: deploy } },
      rollbacks: [{ holder: { deploy_id: rollback } }],
    });
    expect((await errorOf(wire.call("StopApp", { app }))).detail).toBe("lock_held");
    expect((await errorOf(wire.call("RemoveApp", { app }))).detail).toBe("deploy_in_progress");
    finish.resolve();
    for (const events of await Promise.all(running)) expect(events.at(-1)!.result).toMatchObject({ success: {} });
    await wire.call("ReleaseLock", { lock: { deploy_id: rollback, attempt: 1 }, app });
    // An action waits for any deploy of the host, and for rollbacks of its app alone.
    expect((await errorOf(wire.call("StopApp", { app }))).detail).toBe("lock_held");
    await wire.call("ReleaseLock", { lock: { deploy_id: deploy, attempt: 1 }, app: other });
    await wire.takeLock(newId(), 1, { app: other, rollback: true });
    expect((await errorOf(wire.call("StopApp", { app }))).detail).toBe("not_found");
    expect((await errorOf(wire.takeLock(newId(), 1, { rollback: true }))).detail).toBe("invalid_request");
  });

  test("passes to another deploy after its lease, once the old deploy's step has ended", async ({ wire }) => {
    const [old, next] = [newId(), newId()];
    wire.agent.script.run = untilAborted;
    await wire.takeLock(old);
    const running = wire.runStep(old);
    await eventually(
      () => wire.call("GetStatus", {}) as Promise<{ status: { lock: { step: string } } }>,
      ({ status }) => status.lock.step === "STEP_PROXY_ROUTE",
      { what: "the step runs" },
    );
    wire.passTime(31_000);
    await wire.takeLock(next);
    expect((await running).at(-1)!.result).toMatchObject({ canceled: {} });
    expect((await errorOf(wire.runStep(old))).detail).toBe("lock_held");
  });

  test("keeps the app from being removed while its deploy holds it; its hosts may be set", async ({ wire }) => {
    const deployId = newId();
    await wire.takeLock(deployId);
    await wire.runStep(deployId);
    expect((await errorOf(wire.call("RemoveApp", { app }))).detail).toBe("deploy_in_progress");
    await wire.call("RemoveApp", { app: { id: newId(), name: "other" } });
    expect((await errorOf(wire.call("SetAppHosts", { app, hosts: ["shop.test"] }))).detail).toBe("not_found");
    await wire.call("ReleaseLock", { lock: { deploy_id: deployId, attempt: 1 }, app, succeeded: false });
    await wire.call("RemoveApp", { app });
  });

  test("takes a certificate policy at any time, and refuses one that its proxy could not start with", async ({
    wire,
  }) => {
    const policy = { acme_directory: "https://ca.example.com/dir", internal_domains: ["localhost"] };
    await wire.call("SetCertificatePolicy", { policy });
    expect(await wire.call("GetCertificate", { host: "shop.test" })).toMatchObject({ failure: "" });
    for (const wrong of [
      undefined,
      { ...policy, acme_directory: "http://ca.example.com/dir" },
      { ...policy, acme_ca_pem: "nonsense" },
      { ...policy, internal_domains: ["*"] },
      { ...policy, own_certificate_pem: "x" },
    ]) {
      expect((await errorOf(wire.call("SetCertificatePolicy", { policy: wrong }))).detail).toBe("invalid_request");
    }
    expect((await errorOf(wire.call("GetCertificate", { host: "../x" }))).detail).toBe("invalid_request");
  });

  test("leaves no database password behind when it passes on after its lease", async ({ wire }) => {
    const [old, next] = [newId(), newId()];
    await wire.takeLock(old);
    const provisioning = {
      step: "STEP_PROVISION_DB",
      proxy_route: undefined,
      provision_db: { version: "16", database_name: "shop", role: "shop", password: "0123456789abcdef" },
    };
    await wire.runStep(old, provisioning);
    const journal = join(wire.agent.dataDirectory, "journal", old);
    expect(await readdir(journal)).toEqual(["provision_db-1.jsonl"]);
    wire.passTime(31_000);
    await wire.takeLock(next);
    expect(await readdir(journal)).toEqual([]);
  });

  test("keeps apps from being stopped while a deploy holds it", async ({ wire }) => {
    await wire.takeLock(newId());
    for (const method of ["StartApp", "StopApp", "RestartApp"]) {
      expect((await errorOf(wire.call(method, { app }))).detail).toBe("lock_held");
    }
  });
});

describe("a step over the wire", () => {
  test("streams numbered events until its result, and again to whoever asks again", async ({ wire }) => {
    const deployId = newId();
    let runs = 0;
    wire.agent.script.run = ({ output }) => {
      runs += 1;
      output.progress("switching");
      output.log("one\ntwo");
      return Promise.resolve(stepDone);
    };
    await wire.takeLock(deployId);
    const events = await wire.runStep(deployId);
    expect(events.map(({ number }) => number)).toEqual(events.map((_, i) => i + 1));
    expect(events[0]!.progress).toEqual({ message: "switching" });
    expect(events.flatMap((event) => event.log_lines?.lines ?? [])).toEqual(["one", "two"]);
    expect(events.at(-1)!.result).toMatchObject({ success: { proxy_route: { upstream: "10.0.0.2:80" } } });
    expect(await wire.runStep(deployId, { after_event: 1 })).toEqual(events.slice(1));
    expect(runs).toBe(1);
  });

  test("goes on when its stream breaks, and is resumed without a gap", async ({ wire }) => {
    const deployId = newId();
    const go = Promise.withResolvers<void>();
    wire.agent.script.run = async ({ output }) => {
      for (let i = 0; i < 2000; i += 1) output.log(`before ${i}`);
      await go.promise;
      for (let i = 0; i < 2000; i += 1) output.log(`after ${i}`);
      return stepDone;
    };
    await wire.takeLock(deployId);
    const seen = await wire.runStep(deployId, {}, () => false);
    go.resolve();
    const rest = await wire.runStep(deployId, { after_event: seen.at(-1)!.number });
    const lines = [...seen, ...rest].flatMap((event) => event.log_lines?.lines ?? []);
    const expected = ["before", "after"].flatMap((word) => Array.from({ length: 2000 }, (_, i) => `${word} ${i}`));
    expect(lines).toEqual(expected);
  });

  test("with a large log stays within what a client accepts by default", async ({ wire }) => {
    const deployId = newId();
    wire.agent.script.run = ({ output }) => {
      for (let i = 0; i < 900; i += 1) output.log("x".repeat(16_000));
      return Promise.resolve(stepDone);
    };
    await wire.takeLock(deployId);
    let lines = 0;
    await wire.runStep(deployId, {}, (events) => {
      const inMessage = events.reduce((sum, event) => sum + (event.log_lines?.lines.length ?? 0), 0);
      expect(inMessage).toBeLessThanOrEqual(500);
      lines += inMessage;
      return true;
    });
    expect(lines).toBe(900);
  });

  test("is ended by a cancel, which answers when it has ended", async ({ wire }) => {
    const deployId = newId();
    const started = Promise.withResolvers<void>();
    let hasEnded = false;
    wire.agent.script.run = async (ctx) => {
      started.resolve();
      await untilAborted(ctx).catch(() => undefined);
      hasEnded = true;
      throw new Error("stopped");
    };
    const lock = { deploy_id: deployId, attempt: 1 };
    await wire.takeLock(deployId);
    const running = wire.runStep(deployId);
    await started.promise;
    expect((await errorOf(wire.call("ReleaseLock", { lock, app }))).detail).toBe("deploy_in_progress");
    const undo = { deploy_id: deployId, step: "STEP_PROXY_ROUTE", app };
    expect((await errorOf(wire.call("UndoStep", undo))).detail).toBe("deploy_in_progress");

    expect(await wire.call("CancelDeploy", { lock })).toEqual({ canceled: true });
    expect(hasEnded).toBe(true);
    expect((await running).at(-1)!.result).toMatchObject({ canceled: {} });
    expect(await wire.call("CancelDeploy", { lock })).toEqual({ canceled: false });
    await wire.call("UndoStep", undo);
    await wire.call("UndoStep", undo);
    expect(wire.agent.script.undone).toEqual([deployId, deployId]);
    await wire.call("ReleaseLock", { lock, app });
  });

  test("that fails unexpectedly tells nothing of the cause; the operator sees it in the last errors", async ({
    wire,
  }) => {
    const deployId = newId();
    wire.agent.script.run = () => Promise.reject(new TypeError("canary of the machine"));
    await wire.takeLock(deployId);
    const { result } = (await wire.runStep(deployId)).at(-1)!;
    expect(result).toMatchObject({ failure: { code: "internal" } });
    expect(JSON.stringify(result)).not.toContain("canary");
    const { status } = (await wire.call("GetStatus", {})) as { status: { last_errors: Message[] } };
    expect(status.last_errors[0]).toMatchObject({ code: "internal", message: "canary of the machine" });
  });

  test("needs the lock", async ({ wire }) => {
    expect((await errorOf(wire.runStep(newId()))).detail).toBe("stale_attempt");
    await wire.takeLock(newId());
    expect((await errorOf(wire.runStep(newId()))).detail).toBe("lock_held");
  });
});

describe("what is sent is not trusted", () => {
  const deployId = newId();
  const lock = { deploy_id: deployId, attempt: 1 };
  test.for<[string, object, string]>([
    ["TakeLock", { lock: { deploy_id: "../../etc", attempt: 1 }, lease_seconds: 30 }, "lock.deploy_id"],
    ["TakeLock", { lock: { deploy_id: deployId, attempt: 0 }, lease_seconds: 30 }, "lock.attempt"],
    ["TakeLock", { lock, lease_seconds: 4 }, "lease_seconds is 4"],
    ["TakeLock", { lock, lease_seconds: 301 }, "lease_seconds is 301"],
    ["TakeLock", { lease_seconds: 30 }, "lock is missing"],
    ["ReleaseLock", { lock, app: { id: app.id, name: "Not A Label" } }, "app.name"],
    ["ReleaseLock", { lock, app: { id: "x", name: "shop" } }, "app.id"],
    ["UndoStep", { deploy_id: deployId, step: 9, app }, "step is 9"],
    ["StopApp", {}, "app is missing"],
  ])("%s %j is refused and says which field", async ([method, request, field], { wire }) => {
    const error = await errorOf(wire.call(method, request));
    expect(error).toMatchObject({ code: Code.INVALID_ARGUMENT, detail: "invalid_request" });
    expect(error.message).toContain(field);
  });

  test.for<[object, string]>([
    [{ run: 3 }, "run is 3"],
    [{ run: 0 }, "run is 0"],
    [{ step: "STEP_CLONE_BUILD" }, "the spec of clone_build is missing"],
    [{ step: "STEP_UNSPECIFIED" }, "step is 0"],
    [
      { step: "STEP_CLONE_BUILD", proxy_route: undefined, clone_build: { time_limit_seconds: 9 } },
      "time_limit_seconds is 9",
    ],
  ])("RunStep %j is refused and says which field", async ([more, field], { wire }) => {
    await wire.takeLock(deployId);
    const error = await errorOf(wire.runStep(deployId, more));
    expect(error.detail).toBe("invalid_request");
    expect(error.message).toContain(field);
  });

  test.for([0, 501])("StreamLogs of %i lines is refused", async (lines, { wire }) => {
    const error = await errorOf(wire.client.stream(`${AGENT}/StreamLogs`, { app, lines }).next());
    expect(error.message).toContain(`lines is ${lines}`);
  });
});

describe("a switch that is watched", () => {
  const HOSTS = { hosts: ["shop.test"], port: 3000 };

  /** A second release of the app has taken the place of its first one. */
  async function switched(wire: AgentWire, watched: boolean) {
    const { engine } = wire.agent;
    wire.agent.script.run = (ctx) => proxyRoute.run(ctx, create(ProxyRouteSpecSchema, HOSTS));
    const deploys = [newId(), newId()];
    const containers = [];
    for (const deployId of deploys) {
      await wire.takeLock(deployId);
      containers.push(await runDummyContainer(engine, app, deployId));
      const events = await wire.runStep(deployId, { proxy_route: { ...HOSTS, watched } });
      expect(events.at(-1)!.result).toMatchObject({ success: {} });
      await wire.call("ReleaseLock", { lock: { deploy_id: deployId, attempt: 1 }, app, succeeded: true });
    }
    const [former, young] = containers;
    return { deploys, former: former!, young: young! };
  }
  const takenBack = async (wire: AgentWire) =>
    ((await wire.call("GetStatus", {})) as { status: { taken_back: Message[] } }).status.taken_back;
  const serving = async (wire: AgentWire) => (await wire.agent.proxy.routes()).map(({ containerId }) => containerId);
  const containers = async (wire: AgentWire) => (await wire.agent.engine.list({ appId: app.id })).map(({ id }) => id);

  test("is taken back when its container ends, and the status tells so until that is confirmed", async ({ wire }) => {
    const { deploys, former, young } = await switched(wire, true);
    expect(await serving(wire)).toEqual([young.id]);
    expect(await containers(wire)).toContain(former.id);
    wire.agent.engine.end(young.id, 1);
    await expect
      .poll(() => takenBack(wire))
      .toMatchObject([
        {
          app: { id: app.id, name: app.name },
          deploy_id: deploys[1],
          served_deploy_id: deploys[0],
          reason: "TAKEN_BACK_REASON_EXITED",
          exit_code: 1,
        },
      ]);
    expect(await serving(wire)).toEqual([former.id]);
    const log = wire.client.stream(`${AGENT}/StreamLogs`, { app, lines: 10 });
    for await (const message of log) expect(JSON.stringify(message)).toContain("[platform] The release was taken back");
    expect((await errorOf(wire.call("ConfirmTakenBack", { deploy_id: "1" }))).detail).toBe("invalid_request");
    await wire.call("ConfirmTakenBack", { deploy_id: deploys[1] });
    await wire.call("ConfirmTakenBack", { deploy_id: deploys[1] });
    expect(await takenBack(wire)).toEqual([]);
  });

  test("is not taken back for a restart that somebody asks for", async ({ wire }) => {
    const { former, young } = await switched(wire, true);
    // At a dummy's address nobody listens: it waits until the next is asked.
    const restarted = errorOf(wire.call("RestartApp", { app }));
    await expect.poll(() => containers(wire), { timeout: 20_000 }).not.toContain(former.id);
    expect([await serving(wire), await takenBack(wire)]).toEqual([[young.id], []]);
    await wire.call("StopApp", { app });
    expect((await restarted).detail).toBe("app_not_listening");
  });

  test("is left as it is once somebody has decided about the app, and without `watched`", async ({ wire }) => {
    const { former, young } = await switched(wire, true);
    await wire.call("StopApp", { app });
    await expect.poll(() => containers(wire)).not.toContain(former.id);
    await wire.call("RemoveApp", { app });
    const unwatched = await switched(wire, false);
    await expect.poll(() => containers(wire), { timeout: 20_000 }).toEqual([unwatched.young.id]);
    wire.agent.engine.end(unwatched.young.id, 1);
    expect(await serving(wire)).toEqual([unwatched.young.id]);
    expect(young.id).not.toBe(unwatched.young.id);
    expect(await takenBack(wire)).toEqual([]);
  });
});
