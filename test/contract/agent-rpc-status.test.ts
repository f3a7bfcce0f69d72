import { readFile } from "node:fs/promises";
import { status as Code } from "@grpc/grpc-js";
import { describe, expect } from "vitest";
import { metricsTokenFile } from "@svc/agent/host/metrics-token.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { startAgentInProcess, untilAborted } from "../support/agent/agent-in-process.ts";
import { AGENT, app, runRequest } from "../support/agent/agent-wire.ts";
import { agentWireTest as test } from "../support/agent/agent-wire-test.ts";
import { eventually } from "../support/tools/eventually.ts";
import { errorOf, type Message } from "../support/agent/grpc-client.ts";

describe("a stock gRPC client", () => {
  test("finds the agent healthy, by name and as a whole", async ({ wire }) => {
    const check = (service: string): Promise<Message> => wire.client.call("grpc.health.v1.Health/Check", { service });
    expect(await check("")).toEqual({ status: "SERVING" });
    expect(await check(AGENT)).toEqual({ status: "SERVING" });
    expect((await errorOf(check("nobody.v1.Knows"))).code).toBe(Code.NOT_FOUND);
    for await (const message of wire.client.stream("grpc.health.v1.Health/Watch", { service: AGENT })) {
      expect(message).toEqual({ status: "SERVING" });
      break;
    }
  });

  test.for(["v1", "v1alpha"])("discovers the services through reflection %s", async (version, { wire }) => {
    const method = `grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`;
    const list = await wire.client.ask(method, { list_services: "" });
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
      const files = (await wire.client.ask(method, question))["file_descriptor_response"] as {
        file_descriptor_proto: Buffer[];
      };
      const text = files.file_descriptor_proto.map((file) => file.toString("latin1"));
      expect(text[0]).toContain("svc/agent/v1/agent.proto");
      expect(text.some((file) => file.includes("svc/agent/v1/events.proto"))).toBe(true);
    }
    const unknown = await wire.client.ask(method, { file_by_filename: "nope.proto" });
    expect(unknown["error_response"]).toMatchObject({ error_code: Code.NOT_FOUND });
  });

  test("reads the status with an operator's certificate", async ({ certificates, wire }) => {
    const { status } = (await wire.connectAs(certificates.operator).call(`${AGENT}/GetStatus`, {})) as {
      status: Message;
    };
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

  test("with an operator's certificate changes nothing", async ({ certificates, wire }) => {
    const asOperator = wire.connectAs(certificates.operator);
    const refused = { code: Code.PERMISSION_DENIED, detail: "insufficient_scope" };
    for (const method of ["TakeLock", "ReleaseLock", "CancelDeploy", "UndoStep", "StopApp", "RemoveApp"]) {
      expect(await errorOf(asOperator.call(`${AGENT}/${method}`, {}))).toMatchObject(refused);
    }
    const running = asOperator.stream(`${AGENT}/RunStep`, runRequest(newId())).next();
    expect(await errorOf(running)).toMatchObject(refused);
  });

  test("is not let in with another server's certificate, or with none", async ({ certificates, wire }) => {
    for (const identity of [certificates.server, undefined]) {
      const call = wire.connectAs(identity).call(`${AGENT}/GetStatus`, {});
      expect((await errorOf(call)).code).toBe(Code.UNAVAILABLE);
    }
  });
});

describe("the status over the wire", () => {
  test("comes at once, when the lock changes, and says what runs", async ({ wire }) => {
    const seen: unknown[] = [];
    const deployId = newId();
    for await (const { status } of wire.client.stream(`${AGENT}/WatchStatus`, { interval_seconds: 300 })) {
      seen.push((status as Message)["lock"]);
      if (seen.length === 1) await wire.takeLock(deployId);
      else break;
    }
    expect(seen).toMatchObject([null, { holder: { deploy_id: deployId } }]);
  });

  test("is given although the engine is down", async ({ wire }) => {
    wire.agent.engine.knobs.down = true;
    const { status } = (await wire.call("GetStatus", {})) as { status: Message };
    expect(status["engine"]).toMatchObject({ reachable: false });
    const ready = await fetch(`http://127.0.0.1:${wire.agent.http.port}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([503, { engine: false, proxy: true, linked: true }]);
  });

  test("an unexpected error of a call is known by its request id alone", async ({ wire }) => {
    wire.agent.engine.list = () => Promise.reject(new TypeError("canary of the machine"));
    const error = await errorOf(wire.client.stream(`${AGENT}/StreamLogs`, { app, lines: 10 }).next());
    expect(error).toMatchObject({ code: Code.INTERNAL, detail: "internal" });
    expect(error.message).toMatch(/request [0-9a-f]{12}/);
    expect(error.message).not.toContain("canary");
  });
});

describe("the agent's life", () => {
  test("a second agent on the same data directory is refused", async ({ wire }) => {
    await expect(startAgentInProcess(wire.agent.dataDirectory, {})).rejects.toThrow(/Another agent runs on/);
  });

  test("a stop ends watchers and leaves a running step to be run again", async ({ wire }) => {
    const deployId = newId();
    wire.agent.script.run = untilAborted;
    await wire.takeLock(deployId);
    const watching = (async () => {
      for await (const { status } of wire.client.stream("grpc.health.v1.Health/Watch", { service: "" })) {
        if (status !== "SERVING") return status;
      }
      return "ended";
    })();
    const running = wire.runStep(deployId);
    await eventually(
      () => wire.call("GetStatus", {}) as Promise<{ status: { lock: { step: string } } }>,
      ({ status }) => status.lock.step === "STEP_PROXY_ROUTE",
      { what: "the step runs" },
    );
    await wire.agent.agent.stop();
    expect((await running).at(-1)!.result).toMatchObject({ interrupted: {} });
    expect(await watching).toBe("NOT_SERVING");
  });

  test("answers who watches it on the host", async ({ wire }) => {
    const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
      fetch(`http://127.0.0.1:${wire.agent.http.port}${path}`, { headers });
    expect((await get("/healthz")).status).toBe(200);
    expect((await get("/readyz")).status).toBe(200);
    expect((await get("/other")).status).toBe(404);
    const deployId = newId();
    await wire.takeLock(deployId);
    await wire.runStep(deployId);
    const token = (await readFile(metricsTokenFile(wire.agent.dataDirectory), "utf8")).trim();
    const metrics = await (await get("/metrics", { authorization: `Bearer ${token}` })).text();
    expect(metrics).toContain('svc_agent_step_runs_total{step="proxy_route",outcome="success"} 1');
    expect(metrics).toContain("svc_agent_lock_held 1");
    expect(metrics).toContain("svc_agent_link_up 1");
    for (const authorization of ["", "Bearer", `Bearer ${token.slice(1)}`, `Basic ${token}`]) {
      const refused = await get("/metrics", { authorization });
      expect([refused.status, refused.headers.get("www-authenticate"), await refused.text()]).toEqual([
        401,
        "Bearer",
        '{"error":"unauthorized"}\n',
      ]);
    }
  });
});
