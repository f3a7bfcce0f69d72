import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { createInterface } from "node:readline";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createIdentity, saveIdentity } from "@svc/agent/link/identity.ts";
import { createSigningRequest, generateKey } from "@svc/agent/link/signing-request.ts";
import { Authority, type Credentials } from "@svc/control-plane/fleet/authority/authority.ts";
import { serverDnsName } from "@svc/shared/rules/fleet-identity.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { newDataDirectory } from "../../support/agent/agent-in-process.ts";
import { errorOf, GrpcClient, type Message } from "../../support/agent/grpc-client.ts";

const AGENT = "svc.agent.v1.AgentService";
const serverId = newId();
const app = { id: newId(), name: "shop" };

let directory: string;
let authority: Authority;
let controlPlane: Credentials;
let dataDirectory: string;
let child: ChildProcess | undefined;
let client: GrpcClient;

beforeAll(async () => {
  directory = await newDataDirectory();
  authority = await Authority.open(directory);
  controlPlane = await authority.issueControlPlaneCertificate();
  dataDirectory = await newDataDirectory();
  const keyPem = await generateKey();
  const server = { id: serverId, listenAddress: undefined };
  const certificatePem = await authority.signServer(await createSigningRequest(keyPem), server);
  const authorityPem = authority.certificatePem;
  await saveIdentity(
    dataDirectory,
    createIdentity({ serverId, serverName: "s", keyPem, certificatePem, authorityPem }),
  );
});
afterEach(() => kill());
afterAll(async () => {
  for (const each of [directory, dataDirectory]) await rm(each, { recursive: true, force: true });
});

async function start(): Promise<void> {
  const main = new URL("../../support/agent/agent-child.ts", import.meta.url).pathname;
  child = spawn(process.execPath, [main, dataDirectory], { stdio: ["ignore", "pipe", "inherit"] });
  const [port] = (await once(createInterface(child.stdout!), "line")) as [string];
  const address = { host: "127.0.0.1", port: Number(port) };
  client = new GrpcClient(address, authority.certificatePem, controlPlane, serverDnsName(serverId));
}

async function kill(): Promise<void> {
  client?.close();
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

const call = (method: string, request: object): Promise<Message> => client.call(`${AGENT}/${method}`, request);

interface Event {
  number: number;
  log_lines: { lines: string[] } | null;
  result: Record<string, unknown> | null;
}

async function* eventsOf(deployId: string, run: number, after = 0): AsyncGenerator<Event> {
  const request = {
    lock: { deploy_id: deployId, attempt: 1 },
    step: "STEP_PROXY_ROUTE",
    run,
    after_event: after,
    app,
    proxy_route: { hosts: ["shop.test"], port: 80 },
  };
  for await (const { events } of client.stream(`${AGENT}/RunStep`, request)) yield* events as Event[];
}

describe("an agent that is killed", () => {
  test.each([1, 3, 12])("after %i events finds its lock, and its step with a gapless end", async (killAfter) => {
    const deployId = newId();
    const lock = { deploy_id: deployId, attempt: 1 };
    await start();
    await call("TakeLock", { lock, lease_seconds: 300 });
    const seen: Event[] = [];
    try {
      for await (const event of eventsOf(deployId, 1)) {
        if (seen.push(event) === killAfter) child!.kill("SIGKILL");
      }
    } catch {
      // The connection died with the process.
    }
    await kill();

    await start();
    const { status } = (await call("GetStatus", {})) as { status: { lock: Message } };
    expect(status.lock).toMatchObject({ holder: lock, step: "STEP_UNSPECIFIED" });
    expect(
      (await errorOf(call("TakeLock", { lock: { deploy_id: newId(), attempt: 1 }, lease_seconds: 5 }))).detail,
    ).toBe("lock_held");
    for await (const event of eventsOf(deployId, 1, seen.at(-1)!.number)) seen.push(event);
    expect(seen.map(({ number }) => number)).toEqual(seen.map((_, i) => i + 1));
    const lines = seen.flatMap((event) => event.log_lines?.lines ?? []);
    expect(lines).toEqual(lines.map((_, i) => `line ${i}`));
    expect(seen.at(-1)!.result).toMatchObject({ interrupted: {} });

    const again = eventsOf(deployId, 2);
    expect((await again.next()).value).toMatchObject({ number: 1 });
    await again.return(undefined);
    await call("CancelDeploy", { lock });
    await call("ReleaseLock", { lock, app });
  });

  test("while the lock changes hands never forgets an attempt that it has confirmed", async () => {
    const deployId = newId();
    await start();
    let confirmed = 0;
    const taking = (async () => {
      for (;;) {
        const lock = { deploy_id: deployId, attempt: confirmed + 1 };
        await call("TakeLock", { lock, lease_seconds: 300 });
        confirmed += 1;
        if (confirmed === 20) child!.kill("SIGKILL");
      }
    })();
    await taking.catch(() => undefined);
    await kill();
    await start();
    const older = { deploy_id: deployId, attempt: confirmed - 1 };
    expect((await errorOf(call("RenewLock", { lock: older, lease_seconds: 300 }))).detail).toBe("stale_attempt");
    const { status } = (await call("GetStatus", {})) as { status: { lock: { holder: { attempt: number } } } };
    expect(status.lock.holder.attempt).toBeGreaterThanOrEqual(confirmed);
    await call("ReleaseLock", { lock: { deploy_id: deployId, attempt: status.lock.holder.attempt }, app });
  });
});
