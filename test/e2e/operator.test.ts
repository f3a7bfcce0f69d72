import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { nodeApp } from "../support/platform/apps.ts";
import { eventually } from "../support/tools/eventually.ts";
import { GrpcClient } from "../support/agent/grpc-client.ts";
import { type Platform } from "../support/platform/platform.ts";
import { startPlatformWithGit, type PlatformWithGit } from "../support/platform/platform-with-git.ts";
import { freePorts } from "../support/tools/free-ports.ts";

/** An agent that listens instead of dialling out, and an operator with a certificate from the admin command. */
let setup: PlatformWithGit;
let platform: Platform;
let directory: string;
let client: GrpcClient;

beforeAll(async () => {
  const [port] = (await freePorts(1)) as [number];
  setup = await startPlatformWithGit({ agent: { SVC_AGENT_LISTEN: `127.0.0.1:${port}` } });
  platform = setup.platform;
  directory = mkdtempSync(join(tmpdir(), "svc-operator-"));
  await platform.admin("operator", "certificate", "--name", "ops", "--out", directory, "--json");
  const read = (name: string): string => readFileSync(join(directory, `${name}.pem`), "utf8");
  const identity = { keyPem: read("key"), certificatePem: read("certificate") };
  client = new GrpcClient({ host: "127.0.0.1", port }, read("authority"), identity, "localhost");
});
afterAll(async () => {
  client?.close();
  await setup?.stop();
  rmSync(directory, { recursive: true, force: true });
});

it("a listening agent is deployed to over the connection that the control plane dials", async () => {
  await setup.createApp("dialled", nodeApp('return "over a dialled link"'));
  expect((await platform.deploy("dialled")).deploy.status).toBe("success");
  expect((await platform.fetchApp("dialled")).body).toBe("over a dialled link");
});

it("a listening agent shows health, reflection and status to a stock gRPC client with the operator's certificate", async () => {
  expect(await client.call("grpc.health.v1.Health/Check", { service: "svc.agent.v1.AgentService" })).toEqual({
    status: "SERVING",
  });
  const { list_services_response: list } = await client.ask(
    "grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
    {
      list_services: "",
    },
  );
  const names = (list as { service: { name: string }[] }).service.map((service) => service.name);
  expect(names).toEqual(expect.arrayContaining(["svc.agent.v1.AgentService", "grpc.health.v1.Health"]));
  const status = await eventually(
    async () => {
      const answer = await client.call("svc.agent.v1.AgentService/GetStatus", {});
      return JSON.parse(JSON.stringify(answer["status"])) as Record<string, unknown> & { apps: { health: string }[] };
    },
    // An observation is up to a second old, and the deploy's lock is given back after its end.
    ({ apps, lock }) => apps[0]?.health === "HEALTH_SERVING" && lock === null,
    { what: "the status shows the app that serves, and no lock" },
  );
  expect(status).toMatchObject({
    agent_version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    engine: { reachable: true, version: expect.stringMatching(/^\d/) },
    proxy: { reachable: true },
    lock: null,
    apps: [
      {
        app: { name: "dialled" },
        state: "running",
        health: "HEALTH_SERVING",
        image_digest: expect.stringMatching(/^sha256:/),
      },
    ],
    disks: [expect.objectContaining({ purpose: "data" }), expect.objectContaining({ purpose: "engine" })],
  });
});

it("an operator is refused every call that changes something", async () => {
  const lock = { deploy_id: "01a1fd43-92af-7824-8341-c65de5122057", attempt: 1 };
  await expect(client.call("svc.agent.v1.AgentService/TakeLock", { lock, lease_seconds: 30 })).rejects.toThrow(
    /PERMISSION_DENIED/,
  );
});
