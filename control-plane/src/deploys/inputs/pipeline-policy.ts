import type { AppsAddress } from "../../fleet/app-url.ts";
import type { DeployKeyHost } from "../../apps/deploy-keys/deploy-key-host.ts";

/** The decisions of the platform's operator; they travel to the agents with the work. */
export interface PipelinePolicy extends AppsAddress {
  outboundAllowCidrs: readonly string[];
  /** PEM; empty for none. */
  outboundCaPem: string;
  /** `address[:port]`; empty for those that each host has. */
  dnsServers: readonly string[];
  /** The hosts that deploy keys work with. */
  deployKeyHosts: readonly DeployKeyHost[];
  /** Caps of an app's container by the tier of its owner. */
  limitsOf(tier: string): { memoryBytes: number; cpuMillis: number };
}
