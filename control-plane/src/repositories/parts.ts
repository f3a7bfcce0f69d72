import type { Hosting } from "./hosting/hosting.ts";

declare module "../platform/operation.ts" {
  interface OperationContext {
    hosting: Hosting;
  }
}
