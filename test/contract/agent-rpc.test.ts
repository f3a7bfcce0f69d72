import { status as Code } from "@grpc/grpc-js";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createIdentity, saveIdentity } from "@svc/agent/fleet/identity.ts";
import { createSigningRequest, generateKey } from "@svc/agent/fleet/signing-request.ts";
import { Authority, type Credentials } from "@svc/control-plane/fleet/authority.ts";
import { systemClock } from "@svc/shared/clock.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { serverDnsName } from "@svc/shared/fleet-identity.ts";
import { newId } from "@svc/shared/ids.ts";
import {
  newDataDirectory,
  startAgentInProcess,
  stepDone,
  untilAborted,
  type AgentInProcess,
} from "../support/agent-in-process.ts";
import { eventually } from "../support/eventually.ts";
import { errorOf, GrpcClient, type Message, type Pem } from "../support/grpc-client.ts";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";

const AGENT = "svc.agent.v1.AgentService";
const serverId = newId();
const app = { id: newId(), name: "shop" };

let authorityDirectory: string;
let authority: Authority;
let controlPlane: Credentials;
let operator: Credentials;
let server: Pem;
let agent: AgentInProcess;
/** Added to the agent's time. */
let aheadMs = 0;
let client: GrpcClient;
const clients: GrpcClient[] = [];

beforeAll(async () => {
  authorityDirectory = await newDataDirectory();
  authority = await Authority.open(authorityDirectory);
  [controlPlane, operator, server] = await Promise.all([
    authority.issueControlPlaneCertificate(),
    authority.issueOperatorCertificate("ada"),
    signServer(),
  ]);
});

async function signServer(): Promise<Pem> {
  const keyPem = await generateKey();
  const request = await createSigningRequest(keyPem);
  return { keyPem, certificatePem: await authority.signServer(request, { id: serverId, listenAddress: undefined }) };
}

beforeEach(async () => {
  aheadMs = 0;
  const dataDirectory = await newDataDirectory();
  const names = { serverId, serverName: "server-1", authorityPem: authority.certificatePem };
  await saveIdentity(dataDirectory, createIdentity({ ...server, ...names }));
  const clock = { ...systemClock, now: () => new Date(Date.now() + aheadMs) };
  agent = await startAgentInProcess(dataDirectory, { listen: { host: "127.0.0.1", port: 0 } }, { clock });
  client = connectAs(controlPlane);
});
afterEach(async () => {
  for (const each of clients.splice(0)) each.close();
  await agent.stop();
});
afterAll(() => rm(authorityDirectory, { recursive: true, force: true }));

function connectAs(identity: Pem | undefined): GrpcClient {
  const connected = new GrpcClient(agent.listen!, authority.certificatePem, identity, serverDnsName(serverId));
  clients.push(connected);
  return connected;
}

const call = (method: string, request: object): Promise<Message> => client.call(`${AGENT}/${method}`, request);

async function takeLock(deployId: string, attempt = 1): Promise<Message> {
  return call("TakeLock", { lock: { deploy_id: deployId, attempt }, lease_seconds: 30 });
}

function runRequest(deployId: string, more: object = {}): object {
  return {
    lock: { deploy_id: deployId, attempt: 1 },
    step: "STEP_PROXY_ROUTE",
    run: 1,
    app,
    proxy_route: { hosts: ["shop.test"], port: 80 },
    ...more,
  };
}

interface Event {
  number: number;
  log_lines: { lines: string[] } | null;
  progress: { message: string } | null;
  result: Record<string, unknown> | null;
}

async function runStep(deployId: string, more: object = {}, onMessage: (events: Event[]) => boolean = () => true) {
  const events: Event[] = [];
  for await (const message of client.stream(`${AGENT}/RunStep`, runRequest(deployId, more))) {
    const batch = message["events"] as Event[];
    events.push(...batch);
    if (!onMessage(batch)) break;
  }
  return events;
}

describe("a stock gRPC client", () => {
  test("finds the agent healthy, by name and as a whole", async () => {
    const check = (service: string): Promise<Message> => client.call("grpc.health.v1.Health/Check", { service });
    expect(await check("")).toEqual({ status: "SERVING" });
    expect(await check(AGENT)).toEqual({ status: "SERVING" });
    expect((await errorOf(check("nobody.v1.Knows"))).code).toBe(Code.NOT_FOUND);
    for await (const message of client.stream("grpc.health.v1.Health/Watch", { service: AGENT })) {
      expect(message).toEqual({ status: "SERVING" });
      break;
    }
  });

  test.each(["v1", "v1alpha"])("discovers the services through reflection %s", async (version) => {
    const method = `grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`;
    const list = await client.ask(method, { list_services: "" });
    expect(list["list_services_response"]).toEqual({
      service: [
        AGENT,
        "grpc.health.v1.Health",
        "grpc.reflection.v1.ServerReflection",
        "grpc.reflection.v1alpha.ServerReflection",
      ].map((name) => ({ name })),
    });
    for (const question of [
      { file_containing_symbol: AGENT },
      { file_containing_symbol: `${AGENT}.RunStep` },
      { file_by_filename: "svc/agent/v1/agent.proto" },
    ]) {
      const files = (await client.ask(method, question))["file_descriptor_response"] as {
        file_descriptor_proto: Buffer[];
      };
      const text = files.file_descriptor_proto.map((file) => file.toString("latin1"));
      expect(text[0]).toContain("svc/agent/v1/agent.proto");
      expect(text.some((file) => file.includes("svc/agent/v1/events.proto"))).toBe(true);
    }
    const unknown = await client.ask(method, { file_by_filename: "nope.proto" });
    expect(unknown["error_response"]).toMatchObject({ error_code: Code.NOT_FOUND });
  });

  test("reads the status with an operator's certificate", async () => {
    const { status } = (await connectAs(operator).call(`${AGENT}/GetStatus`, {})) as { status: Message };
    expect(status).toMatchObject({
      engine: { reachable: true, version: "0.0.0-dummy" },
      proxy: { reachable: true },
      cpu: { cores: 2 },
      memory: { total_bytes: 4 * 1024 ** 3 },
      disks: [{ purpose: "data" }, { purpose: "engine" }],
      lock: null,
      apps: [],
    });
  });

  test("with an operator's certificate changes nothing", async () => {
    const asOperator = connectAs(operator);
    const refused = { code: Code.PERMISSION_DENIED, detail: "insufficient_scope" };
    for (const method of ["TakeLock", "ReleaseLock", "CancelDeploy", "UndoStep", "StopApp", "RemoveApp"]) {
      expect(await errorOf(asOperator.call(`${AGENT}/${method}`, {}))).toMatchObject(refused);
    }
    const running = asOperator.stream(`${AGENT}/RunStep`, runRequest(newId())).next();
    expect(await errorOf(running)).toMatchObject(refused);
  });

  test("is not let in with another server's certificate, or with none", async () => {
    for (const identity of [server, undefined]) {
      const call = connectAs(identity).call(`${AGENT}/GetStatus`, {});
      expect((await errorOf(call)).code).toBe(Code.UNAVAILABLE);
    }
  });
});

describe("the lock over the wire", () => {
  test("is held by one deploy, which is named to the others with the time since when", async () => {
    const [holder, other] = [newId(), newId()];
    const { lock } = (await takeLock(holder)) as { lock: Message };
    expect(lock).toMatchObject({ holder: { deploy_id: holder, attempt: 1 }, step: "STEP_UNSPECIFIED" });
    const error = await errorOf(takeLock(other));
    expect(error).toMatchObject({ code: Code.FAILED_PRECONDITION, detail: "lock_held" });
    expect(error.message).toContain(`Deploy ${holder} holds this server's lock since 20`);
    const { status } = (await call("GetStatus", {})) as { status: Message };
    expect(status["lock"]).toMatchObject({ holder: { deploy_id: holder } });
  });

  test("obeys the newest attempt alone, is renewed and released", async () => {
    const deployId = newId();
    await takeLock(deployId, 1);
    await takeLock(deployId, 2);
    const stale = { lock: { deploy_id: deployId, attempt: 1 }, lease_seconds: 30, app };
    for (const method of ["TakeLock", "RenewLock", "ReleaseLock", "CancelDeploy"]) {
      expect((await errorOf(call(method, stale))).detail).toBe("stale_attempt");
    }
    const newest = { ...stale, lock: { deploy_id: deployId, attempt: 2 } };
    await call("RenewLock", newest);
    await call("ReleaseLock", newest);
    await call("ReleaseLock", newest);
    await takeLock(newId());
  });

  test("passes to another deploy after its lease, once the old deploy's step has ended", async () => {
    const [old, next] = [newId(), newId()];
    agent.script.run = untilAborted;
    await takeLock(old);
    const running = runStep(old);
    await eventually(
      () => call("GetStatus", {}) as Promise<{ status: { lock: { step: string } } }>,
      ({ status }) => status.lock.step === "STEP_PROXY_ROUTE",
      { what: "the step runs" },
    );
    aheadMs = 31_000;
    await takeLock(next);
    expect((await running).at(-1)!.result).toMatchObject({ canceled: {} });
    expect((await errorOf(runStep(old))).detail).toBe("lock_held");
  });

  test("keeps the app from being removed while its deploy holds it; its hosts may be set", async () => {
    const deployId = newId();
    await takeLock(deployId);
    await runStep(deployId);
    expect((await errorOf(call("RemoveApp", { app }))).detail).toBe("deploy_in_progress");
    await call("RemoveApp", { app: { id: newId(), name: "other" } });
    expect((await errorOf(call("SetAppHosts", { app, hosts: ["shop.test"] }))).detail).toBe("not_found");
    await call("ReleaseLock", { lock: { deploy_id: deployId, attempt: 1 }, app, succeeded: false });
    await call("RemoveApp", { app });
  });

  test("takes a certificate policy at any time, and refuses one that its proxy could not start with", async () => {
    const policy = { acme_directory: "https://ca.example.com/dir", internal_domains: ["localhost"] };
    await call("SetCertificatePolicy", { policy });
    expect(await call("GetCertificate", { host: "shop.test" })).toMatchObject({ failure: "" });
    for (const wrong of [
      undefined,
      { ...policy, acme_directory: "http://ca.example.com/dir" },
      { ...policy, acme_ca_pem: "nonsense" },
      { ...policy, internal_domains: ["*"] },
      { ...policy, own_certificate_pem: "x" },
    ]) {
      expect((await errorOf(call("SetCertificatePolicy", { policy: wrong }))).detail).toBe("invalid_request");
    }
    expect((await errorOf(call("GetCertificate", { host: "../x" }))).detail).toBe("invalid_request");
  });

  test("leaves no database password behind when it passes on after its lease", async () => {
    const [old, next] = [newId(), newId()];
    await takeLock(old);
    const provisioning = {
      step: "STEP_PROVISION_DB",
      proxy_route: undefined,
      provision_db: { version: "16", database_name: "shop", role: "shop", password: "0123456789abcdef" },
    };
    await runStep(old, provisioning);
    const journal = join(agent.dataDirectory, "journal", old);
    expect(await readdir(journal)).toEqual(["provision_db-1.jsonl"]);
    aheadMs = 31_000;
    await takeLock(next);
    expect(await readdir(journal)).toEqual([]);
  });

  test("keeps apps from being stopped while a deploy holds it", async () => {
    await takeLock(newId());
    for (const method of ["StartApp", "StopApp", "RestartApp"]) {
      expect((await errorOf(call(method, { app }))).detail).toBe("lock_held");
    }
  });
});

describe("a step over the wire", () => {
  test("streams numbered events until its result, and again to whoever asks again", async () => {
    const deployId = newId();
    let runs = 0;
    agent.script.run = ({ output }) => {
      runs += 1;
      output.progress("switching");
      output.log("one\ntwo");
      return Promise.resolve(stepDone);
    };
    await takeLock(deployId);
    const events = await runStep(deployId);
    expect(events.map(({ number }) => number)).toEqual(events.map((_, i) => i + 1));
    expect(events[0]!.progress).toEqual({ message: "switching" });
    expect(events.flatMap((event) => event.log_lines?.lines ?? [])).toEqual(["one", "two"]);
    expect(events.at(-1)!.result).toMatchObject({ success: { proxy_route: { upstream: "10.0.0.2:80" } } });
    expect(await runStep(deployId, { after_event: 1 })).toEqual(events.slice(1));
    expect(runs).toBe(1);
  });

  test("goes on when its stream breaks, and is resumed without a gap", async () => {
    const deployId = newId();
    const go = Promise.withResolvers<void>();
    agent.script.run = async ({ output }) => {
      for (let i = 0; i < 2000; i += 1) output.log(`before ${i}`);
      await go.promise;
      for (let i = 0; i < 2000; i += 1) output.log(`after ${i}`);
      return stepDone;
    };
    await takeLock(deployId);
    const seen = await runStep(deployId, {}, () => false);
    go.resolve();
    const rest = await runStep(deployId, { after_event: seen.at(-1)!.number });
    const lines = [...seen, ...rest].flatMap((event) => event.log_lines?.lines ?? []);
    const expected = ["before", "after"].flatMap((word) => Array.from({ length: 2000 }, (_, i) => `${word} ${i}`));
    expect(lines).toEqual(expected);
  });

  test("with a large log stays within what a client accepts by default", async () => {
    const deployId = newId();
    agent.script.run = ({ output }) => {
      for (let i = 0; i < 900; i += 1) output.log("x".repeat(16_000));
      return Promise.resolve(stepDone);
    };
    await takeLock(deployId);
    let lines = 0;
    await runStep(deployId, {}, (events) => {
      const inMessage = events.reduce((sum, event) => sum + (event.log_lines?.lines.length ?? 0), 0);
      expect(inMessage).toBeLessThanOrEqual(500);
      lines += inMessage;
      return true;
    });
    expect(lines).toBe(900);
  });

  test("is ended by a cancel, which answers when it has ended", async () => {
    const deployId = newId();
    const started = Promise.withResolvers<void>();
    let hasEnded = false;
    agent.script.run = async (ctx) => {
      started.resolve();
      await untilAborted(ctx).catch(() => undefined);
      hasEnded = true;
      throw new Error("stopped");
    };
    const lock = { deploy_id: deployId, attempt: 1 };
    await takeLock(deployId);
    const running = runStep(deployId);
    await started.promise;
    expect((await errorOf(call("ReleaseLock", { lock, app }))).detail).toBe("deploy_in_progress");
    const undo = { deploy_id: deployId, step: "STEP_PROXY_ROUTE", app };
    expect((await errorOf(call("UndoStep", undo))).detail).toBe("deploy_in_progress");

    expect(await call("CancelDeploy", { lock })).toEqual({ canceled: true });
    expect(hasEnded).toBe(true);
    expect((await running).at(-1)!.result).toMatchObject({ canceled: {} });
    expect(await call("CancelDeploy", { lock })).toEqual({ canceled: false });
    await call("UndoStep", undo);
    await call("UndoStep", undo);
    expect(agent.script.undone).toEqual([deployId, deployId]);
    await call("ReleaseLock", { lock, app });
  });

  test("that fails unexpectedly tells nothing of the cause; the operator sees it in the last errors", async () => {
    const deployId = newId();
    agent.script.run = () => Promise.reject(new TypeError("canary of the machine"));
    await takeLock(deployId);
    const { result } = (await runStep(deployId)).at(-1)!;
    expect(result).toMatchObject({ failure: { code: "internal" } });
    expect(JSON.stringify(result)).not.toContain("canary");
    const { status } = (await call("GetStatus", {})) as { status: { last_errors: Message[] } };
    expect(status.last_errors[0]).toMatchObject({ code: "internal", message: "canary of the machine" });
  });

  test("needs the lock", async () => {
    expect((await errorOf(runStep(newId()))).detail).toBe("stale_attempt");
    await takeLock(newId());
    expect((await errorOf(runStep(newId()))).detail).toBe("lock_held");
  });
});

describe("what is sent is not trusted", () => {
  const deployId = newId();
  const lock = { deploy_id: deployId, attempt: 1 };
  test.each([
    ["TakeLock", { lock: { deploy_id: "../../etc", attempt: 1 }, lease_seconds: 30 }, "lock.deploy_id"],
    ["TakeLock", { lock: { deploy_id: deployId, attempt: 0 }, lease_seconds: 30 }, "lock.attempt"],
    ["TakeLock", { lock, lease_seconds: 4 }, "lease_seconds is 4"],
    ["TakeLock", { lock, lease_seconds: 301 }, "lease_seconds is 301"],
    ["TakeLock", { lease_seconds: 30 }, "lock is missing"],
    ["ReleaseLock", { lock, app: { id: app.id, name: "Not A Label" } }, "app.name"],
    ["ReleaseLock", { lock, app: { id: "x", name: "shop" } }, "app.id"],
    ["UndoStep", { deploy_id: deployId, step: 9, app }, "step is 9"],
    ["StopApp", {}, "app is missing"],
  ])("%s %j is refused and says which field", async (method, request, field) => {
    const error = await errorOf(call(method, request));
    expect(error).toMatchObject({ code: Code.INVALID_ARGUMENT, detail: "invalid_request" });
    expect(error.message).toContain(field);
  });

  test.each([
    [{ run: 3 }, "run is 3"],
    [{ run: 0 }, "run is 0"],
    [{ step: "STEP_CLONE_BUILD" }, "the spec of clone_build is missing"],
    [{ step: "STEP_UNSPECIFIED" }, "step is 0"],
    [
      { step: "STEP_CLONE_BUILD", proxy_route: undefined, clone_build: { time_limit_seconds: 9 } },
      "time_limit_seconds is 9",
    ],
  ])("RunStep %j is refused and says which field", async (more, field) => {
    await takeLock(deployId);
    const error = await errorOf(runStep(deployId, more));
    expect(error.detail).toBe("invalid_request");
    expect(error.message).toContain(field);
  });

  test.each([0, 501])("StreamLogs of %i lines is refused", async (lines) => {
    const error = await errorOf(client.stream(`${AGENT}/StreamLogs`, { app, lines }).next());
    expect(error.message).toContain(`lines is ${lines}`);
  });
});

describe("the status over the wire", () => {
  test("comes at once, when the lock changes, and says what runs", async () => {
    const seen: unknown[] = [];
    const deployId = newId();
    for await (const { status } of client.stream(`${AGENT}/WatchStatus`, { interval_seconds: 300 })) {
      seen.push((status as Message)["lock"]);
      if (seen.length === 1) await takeLock(deployId);
      else break;
    }
    expect(seen).toMatchObject([null, { holder: { deploy_id: deployId } }]);
  });

  test("is given although the engine is down", async () => {
    agent.engine.knobs.down = true;
    const { status } = (await call("GetStatus", {})) as { status: Message };
    expect(status["engine"]).toMatchObject({ reachable: false });
    const ready = await fetch(`http://127.0.0.1:${agent.http.port}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([503, { engine: false, proxy: true }]);
  });

  test("an unexpected error of a call is known by its request id alone", async () => {
    agent.engine.list = () => Promise.reject(new TypeError("canary of the machine"));
    const error = await errorOf(client.stream(`${AGENT}/StreamLogs`, { app, lines: 10 }).next());
    expect(error).toMatchObject({ code: Code.INTERNAL, detail: "internal" });
    expect(error.message).toMatch(/request [0-9a-f]{12}/);
    expect(error.message).not.toContain("canary");
  });
});

/** A container of the app, as a deploy leaves it. */
function runApp(deployId: string): Promise<{ id: string }> {
  return agent.engine.run({
    app,
    role: "app",
    deployId,
    release: "v1",
    image: agent.engine.addImage(app.id, deployId),
    env: {},
    port: 80,
    memoryBytes: 1,
    cpuMillis: 1,
    aliases: [],
    volumes: {},
    capabilities: [],
  });
}

describe("actions on an app over the wire", () => {
  test("happen one after another, in the order in which they were asked for", async () => {
    const { id: containerId } = await runApp(newId());
    const route = { host: "shop.test", appId: app.id, containerId, upstream: "10.0.0.2:80", state: "serving" } as const;
    await agent.proxy.setRoutes(app.id, [route]);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const calls: string[] = [];
    agent.engine.stop = async () => {
      calls.push("stop begins");
      await released;
      calls.push("stop ends");
    };
    agent.engine.start = async () => {
      calls.push("start");
      throw new SvcError("not_found", "It is gone.");
    };
    const stopping = call("StopApp", { app });
    await eventually(
      () => calls,
      ({ length }) => length === 1,
      { what: "the stop has begun" },
    );
    const starting = errorOf(call("StartApp", { app }));
    // Answered on the same connection after the start has come in.
    await call("GetStatus", {});
    expect(calls).toEqual(["stop begins"]);
    release();
    await stopping;
    expect((await starting).detail).toBe("not_found");
    expect(calls).toEqual(["stop begins", "stop ends", "start"]);
  });
});

describe("an action that waits for the app to listen", () => {
  test("ends when something else is asked of the app", async () => {
    const { id: containerId } = await runApp(newId());
    // Nobody answers there.
    const route = { host: "shop.test", appId: app.id, containerId, upstream: "127.0.0.1:1", state: "serving" } as const;
    await agent.proxy.setRoutes(app.id, [route]);
    const started = Promise.withResolvers<void>();
    const start = agent.engine.start;
    agent.engine.start = async (id) => {
      await start(id);
      started.resolve();
    };
    const starting = errorOf(call("StartApp", { app }));
    await started.promise;
    await call("StopApp", { app });
    expect((await starting).detail).toBe("app_not_listening");
    expect((await agent.engine.list({ appId: app.id }))[0]?.state).toBe("exited");
  });
});

describe("an app's log over the wire", () => {
  test("comes from its container; an app without one is not found", async () => {
    const logs = (): AsyncGenerator<Message> => client.stream(`${AGENT}/StreamLogs`, { app, lines: 10 });
    expect((await errorOf(logs().next())).detail).toBe("not_found");
    await runApp(newId());
    agent.engine.knobs.log = [{ time: new Date(0), text: "hello" }];
    const messages: Message[] = [];
    for await (const message of logs()) messages.push(message);
    expect(messages).toMatchObject([{ lines: [{ text: "hello" }] }]);
  });
});

describe("the agent's life", () => {
  test("a second agent on the same data directory is refused", async () => {
    await expect(startAgentInProcess(agent.dataDirectory, {})).rejects.toThrow(/Another agent runs on/);
  });

  test("a stop ends watchers and leaves a running step to be run again", async () => {
    const deployId = newId();
    agent.script.run = untilAborted;
    await takeLock(deployId);
    const watching = (async () => {
      for await (const { status } of client.stream("grpc.health.v1.Health/Watch", { service: "" })) {
        if (status !== "SERVING") return status;
      }
      return "ended";
    })();
    const running = runStep(deployId);
    await eventually(
      () => call("GetStatus", {}) as Promise<{ status: { lock: { step: string } } }>,
      ({ status }) => status.lock.step === "STEP_PROXY_ROUTE",
      { what: "the step runs" },
    );
    await agent.agent.stop();
    expect((await running).at(-1)!.result).toMatchObject({ interrupted: {} });
    expect(await watching).toBe("NOT_SERVING");
  });

  test("answers who watches it on the host", async () => {
    const get = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${agent.http.port}${path}`);
    expect((await get("/healthz")).status).toBe(200);
    expect((await get("/readyz")).status).toBe(200);
    expect((await get("/other")).status).toBe(404);
    const deployId = newId();
    await takeLock(deployId);
    await runStep(deployId);
    const metrics = await (await get("/metrics")).text();
    expect(metrics).toContain('svc_agent_step_runs_total{step="proxy_route",outcome="success"} 1');
    expect(metrics).toContain("svc_agent_lock_held 1");
    expect(metrics).toContain("svc_agent_link_up 1");
  });
});
