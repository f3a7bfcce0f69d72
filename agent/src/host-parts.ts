import type { Logger } from "@svc/shared/logger.ts";
import type { AgentConfig } from "./config.ts";
import type { StepPorts, StepTable } from "./step-runner.ts";

/** What the agent drives, and the steps that drive it. */
export interface HostParts {
  ports: StepPorts;
  steps: StepTable;
  /** Restarts the proxy when it died; resolves when the signal aborts. */
  proxySupervision: (signal: AbortSignal) => Promise<void>;
}

export function createHostParts(_config: AgentConfig, _serverId: string, _log: Logger): HostParts {
  throw new Error("not wired yet");
}
