import { readOutputTail } from "./events/deploy-output.store.ts";
import { readDeploySteps, type DeployRow, type DeployStepRow } from "./deploys.store.ts";
import type { OperationContext } from "../platform/operation.ts";
import { deployStepView, deployView } from "./deploy-view.ts";

/** The deploy with its four steps in order; a running step shows the tail of what it has printed so far. */
export async function readDeployWithSteps(ctx: OperationContext, deploy: DeployRow) {
  const rows = await readDeploySteps(ctx.db, deploy.id);
  const steps = await Promise.all(rows.map(async (row) => deployStepView(row, await outputOf(ctx, deploy, row))));
  return { deploy: deployView(deploy), steps };
}

async function outputOf(ctx: OperationContext, deploy: DeployRow, step: DeployStepRow): Promise<string> {
  if (step.output !== null) return step.output;
  return step.status === "running" ? readOutputTail(ctx.db, deploy.id, step.step_order) : "";
}
