import type { PipelinePolicy } from "./inputs/pipeline-policy.ts";

declare module "../platform/operation.ts" {
  interface Platform {
    /** What the operator has decided on fetches and caps. */
    pipeline: PipelinePolicy;
  }
}
