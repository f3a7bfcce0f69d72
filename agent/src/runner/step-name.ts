import { Step } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";

export type StepName = "provision_db" | "clone_build" | "deploy_container" | "proxy_route";

/** The steps in the pipeline's order, by the names that the specification gives them. */
const STEP_NAMES: readonly StepName[] = ["provision_db", "clone_build", "deploy_container", "proxy_route"];

const steps: Record<StepName, Step> = {
  provision_db: Step.PROVISION_DB,
  clone_build: Step.CLONE_BUILD,
  deploy_container: Step.DEPLOY_CONTAINER,
  proxy_route: Step.PROXY_ROUTE,
};

export function stepOf(name: StepName): Step {
  return steps[name];
}

/** Undefined for a step that this agent does not know. */
export function stepNameOf(step: Step): StepName | undefined {
  return STEP_NAMES.find((name) => steps[name] === step);
}
