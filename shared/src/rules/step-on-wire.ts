import { Step } from "../gen/svc/agent/v1/agent_pb.ts";
import { STEP_NAMES, type StepName } from "./steps.ts";

const STEPS: Readonly<Record<StepName, Step>> = {
  provision_db: Step.PROVISION_DB,
  clone_build: Step.CLONE_BUILD,
  deploy_container: Step.DEPLOY_CONTAINER,
  proxy_route: Step.PROXY_ROUTE,
};

export function stepOf(name: StepName): Step {
  return STEPS[name];
}

/** Is undefined between two steps, and for one that a newer version has. */
export function stepNameOf(step: Step): StepName | undefined {
  return STEP_NAMES.find((name) => STEPS[name] === step);
}
