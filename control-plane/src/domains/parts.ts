import type { DomainRules } from "./custom-domain.ts";
import type { HostSync } from "./host-sync.ts";

declare module "../platform/operation.ts" {
  interface Platform {
    domainRules: DomainRules;
  }

  interface OperationContext {
    hosts: HostSync;
  }
}
