import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create as createAgent, type Agent } from "@svc/agent/app.ts";
import type { AgentConfig } from "@svc/agent/config.ts";
import { createDummyEngine, type DummyEngine } from "@svc/agent/dummy/engine.ts";
import { createDummyGit, type DummyGit } from "@svc/agent/dummy/git.ts";
import { createDummyHost } from "@svc/agent/dummy/host.ts";
import { createDummyProxy, type DummyProxy } from "@svc/agent/dummy/proxy.ts";
import type { StepTable } from "@svc/agent/runner/step-runner.ts";
import type { StepContext, StepDefinition, StepOutputMessage } from "@svc/agent/runner/step.ts";
import { systemClock, type Clock } from "@svc/shared/platform/clock.ts";
import type { HostPort } from "@svc/shared/platform/env.ts";
import type { SvcError } from "@svc/shared/errors.ts";
import { silentLogger } from "@svc/shared/platform/logger.ts";
import { TEST_BLOCK } from "../engine/docker.ts";

export interface AgentInProcess {
  agent: Agent;
  dataDirectory: string;
  engine: DummyEngine;
  proxy: DummyProxy;
  git: DummyGit;
  /** The behaviour of every step; a test replaces it. */
  script: { run: (ctx: StepContext) => Promise<StepOutputMessage>; undone: string[] };
  /** Tells for how long the agent keeps apps from one another; undefined when it does not. */
  keepsAppsApart: AbortSignal | undefined;
  /** As the engine does when apps can't be kept apart. */
  failToKeepAppsApart: (error: SvcError) => void;
  http: HostPort;
  listen: HostPort | undefined;
  stop(): Promise<void>;
}

export const stepDone: StepOutputMessage = {
  case: "proxyRoute",
  value: { hosts: ["shop.test"], upstream: "10.0.0.2:80" },
};

export async function newDataDirectory(): Promise<string> {
  return mkdtemp(join(tmpdir(), "svc-agent-"));
}

const agentConfig = (dataDirectory: string, config: Partial<AgentConfig>): AgentConfig => ({
  controlPlane: { host: "127.0.0.1", port: 1 },
  joinToken: undefined,
  listen: undefined,
  dataDirectory,
  dockerHost: undefined,
  caddyAdmin: undefined,
  httpPort: 80,
  httpsPort: 443,
  baseImages: { names: {} },
  buildMemoryBytes: undefined,
  areBuildCapsRequired: true,
  isIsolationRequired: true,
  buildCpuMillis: undefined,
  appDiskBytes: 2 * 1024 ** 3,
  databaseDiskBytes: 10 * 1024 ** 3,
  addressBlock: TEST_BLOCK,
  http: { host: "127.0.0.1", port: 0 },
  ...config,
});

/** The whole agent but for the host: engine, proxy, git and machine are the dummies, the steps a script. */
export async function startAgentInProcess(
  dataDirectory: string,
  config: Partial<AgentConfig>,
  overrides: { clock?: Clock; stopPatienceMs?: number } = {},
): Promise<AgentInProcess> {
  const [engine, proxy] = [createDummyEngine(), createDummyProxy()];
  const script: AgentInProcess["script"] = { run: () => Promise.resolve(stepDone), undone: [] };
  const step: StepDefinition<unknown> = {
    run: (ctx) => script.run(ctx),
    undo: ({ deployId }) => Promise.resolve(void script.undone.push(deployId)),
  };
  const steps: StepTable = { provision_db: step, clone_build: step, deploy_container: step, proxy_route: step };
  const git = createDummyGit();
  let keepsAppsApart: AbortSignal | undefined;
  let failToKeepAppsApart: AgentInProcess["failToKeepAppsApart"] = () => undefined;
  const agent = createAgent(agentConfig(dataDirectory, config), {
    log: silentLogger,
    clock: systemClock,
    stopPatienceMs: 50,
    // Nobody listens at a dummy's address.
    probation: { ask: () => Promise.resolve("answered"), accepts: () => Promise.resolve(true) },
    ...overrides,
    hostParts: () => ({
      ports: { git, engine, proxy, host: createDummyHost() },
      steps,
      keepAppsApart: (signal, onFailure) => {
        keepsAppsApart = signal;
        failToKeepAppsApart = onFailure;
        return Promise.resolve();
      },
      proxySupervision: () => Promise.resolve(),
      shutDownProxy: () => Promise.resolve(),
    }),
  });
  const { http, listen } = await agent.start();
  return {
    agent,
    dataDirectory,
    engine,
    proxy,
    git,
    script,
    keepsAppsApart,
    failToKeepAppsApart,
    http,
    listen,
    async stop() {
      await agent.stop();
      await rm(dataDirectory, { recursive: true, force: true });
    },
  };
}

/** Resolves never, and rejects when the step is told to stop. */
export function untilAborted({ signal }: StepContext): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(new Error("stopped")), { once: true });
  });
}
