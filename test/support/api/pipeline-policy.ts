import { DEFAULT_DEPLOY_KEY_HOSTS } from "@svc/control-plane/apps/deploy-keys/deploy-key-host.ts";
import type { PipelinePolicy } from "@svc/control-plane/deploys/inputs/pipeline-policy.ts";

/** What an operator has decided who has decided nothing. */
export function policyFor(appsDomain: string): PipelinePolicy {
  return {
    appsDomain,
    appsHttpsPort: 443,
    outboundAllowCidrs: [],
    outboundCaPem: "",
    dnsServers: [],
    deployKeyHosts: DEFAULT_DEPLOY_KEY_HOSTS,
    limitsOf: () => ({ memoryBytes: 512 * 1024 * 1024, cpuMillis: 1000 }),
  };
}
