import type { PipelinePolicy } from "./inputs/pipeline-policy.ts";

declare module "../platform/operation.ts" {
  interface Platform {
    /** The operator's decisions on fetches and caps. */
    pipeline: PipelinePolicy;
  }
}
