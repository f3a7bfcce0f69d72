import { rm } from "node:fs/promises";
import { createIdentity, saveIdentity } from "@svc/agent/link/identity.ts";
import { createSigningRequest, generateKey } from "@svc/agent/link/signing-request.ts";
import { Authority, type Credentials } from "@svc/control-plane/fleet/authority/authority.ts";
import { systemClock } from "@svc/shared/platform/clock.ts";
import { serverDnsName } from "@svc/shared/rules/fleet-identity.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { newDataDirectory, startAgentInProcess, type AgentInProcess } from "./agent-in-process.ts";
import { GrpcClient, type Message, type Pem } from "./grpc-client.ts";

export const AGENT = "svc.agent.v1.AgentService";
export const app = { id: newId(), name: "shop" };

/** The certificates of a fleet of one server. */
export interface FleetCertificates {
  serverId: string;
  authorityPem: string;
  controlPlane: Credentials;
  operator: Credentials;
  server: Pem;
}

export async function makeFleetCertificates(): Promise<FleetCertificates> {
  const directory = await newDataDirectory();
  try {
    const authority = await Authority.open(directory);
    const serverId = newId();
    const [controlPlane, operator, server] = await Promise.all([
      authority.issueControlPlaneCertificate(),
      authority.issueOperatorCertificate("ada"),
      signServer(authority, serverId),
    ]);
    return { serverId, authorityPem: authority.certificatePem, controlPlane, operator, server };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function signServer(authority: Authority, id: string): Promise<Pem> {
  const keyPem = await generateKey();
  const request = await createSigningRequest(keyPem);
  return { keyPem, certificatePem: await authority.signServer(request, { id, listenAddress: undefined }) };
}

/** An event of `RunStep`'s stream. */
export interface StepEvent {
  number: number;
  log_lines: { lines: string[] } | null;
  progress: { message: string } | null;
  result: Record<string, unknown> | null;
}

/** An agent that waits to be dialled, and a stock gRPC client of it. */
export interface AgentWire {
  agent: AgentInProcess;
  /** With the control plane's certificate. */
  client: GrpcClient;
  connectAs(identity: Pem | undefined): GrpcClient;
  /** A method of the agent's own service. */
  call(method: string, request: object): Promise<Message>;
  takeLock(deployId: string, attempt?: number, scope?: object): Promise<Message>;
  /** Until the stream ends, or `onMessage` has seen enough. */
  runStep(deployId: string, more?: object, onMessage?: (events: StepEvent[]) => boolean): Promise<StepEvent[]>;
  /** Is added to the agent's time. */
  passTime(ms: number): void;
  stop(): Promise<void>;
}

export async function startAgentWire(certificates: FleetCertificates): Promise<AgentWire> {
  const { serverId, authorityPem, controlPlane, server } = certificates;
  const dataDirectory = await newDataDirectory();
  const names = { serverId, serverName: "server-1", authorityPem };
  await saveIdentity(dataDirectory, createIdentity({ ...server, ...names }));
  let aheadMs = 0;
  const clock = { ...systemClock, now: () => new Date(Date.now() + aheadMs) };
  const agent = await startAgentInProcess(dataDirectory, { listen: { host: "127.0.0.1", port: 0 } }, { clock });
  const clients: GrpcClient[] = [];

  function connectAs(identity: Pem | undefined): GrpcClient {
    const connected = new GrpcClient(agent.listen!, authorityPem, identity, serverDnsName(serverId));
    clients.push(connected);
    return connected;
  }

  const client = connectAs(controlPlane);
  const call = (method: string, request: object): Promise<Message> => client.call(`${AGENT}/${method}`, request);

  return {
    agent,
    client,
    connectAs,
    call,
    takeLock: (deployId, attempt = 1, scope = { app }) =>
      call("TakeLock", { lock: { deploy_id: deployId, attempt }, lease_seconds: 30, ...scope }),
    async runStep(deployId, more = {}, onMessage = () => true) {
      const events: StepEvent[] = [];
      for await (const message of client.stream(`${AGENT}/RunStep`, runRequest(deployId, more))) {
        const batch = message["events"] as StepEvent[];
        events.push(...batch);
        if (!onMessage(batch)) break;
      }
      return events;
    },
    passTime(ms) {
      aheadMs += ms;
    },
    async stop() {
      for (const each of clients) each.close();
      await agent.stop();
    },
  };
}

export function runRequest(deployId: string, more: object = {}): object {
  return {
    lock: { deploy_id: deployId, attempt: 1 },
    step: "STEP_PROXY_ROUTE",
    run: 1,
    app,
    proxy_route: { hosts: ["shop.test"], port: 80 },
    ...more,
  };
}
