import type { Claim } from "../deploy-claims.store.ts";
import type { AppFacts } from "../inputs/pipeline-inputs.store.ts";
import type { DeployInputs } from "../inputs/deploy-inputs.ts";
import type { StepName } from "@svc/shared/rules/steps.ts";
import type { PipelineContext } from "./context.ts";

export type StepResults = Partial<Record<StepName, Record<string, unknown>>>;

/** What a step is made from. */
export interface StepInput {
  ctx: PipelineContext;
  claim: Claim;
  /** As it is now, but for what the user sets: that is as it was when the deploy began. */
  app: AppFacts;
  inputs: DeployInputs;
  /** What the steps before it returned, without secrets. */
  results: StepResults;
}
