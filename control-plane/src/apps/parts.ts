import type { DeployKeyHost } from "./deploy-keys/deploy-key-host.ts";
import type { Template } from "./templates/template.ts";

declare module "../platform/operation.ts" {
  interface Platform {
    /** The git hosts that deploy keys work with. */
    deployKeyHosts: readonly DeployKeyHost[];
  }

  interface OperationContext {
    /** The templates that apps are created from, by slug. */
    templates: readonly Template[];
  }
}
