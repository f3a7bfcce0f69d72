import type { DeployKeyHost } from "../apps/deploy-keys/deploy-key-host.ts";
import type { Hosting } from "./hosting/hosting.ts";

declare module "../platform/operation.ts" {
  interface Platform {
    /** The git hosts that deploy keys work with. */
    deployKeyHosts: readonly DeployKeyHost[];
  }

  interface OperationContext {
    hosting: Hosting;
  }
}
