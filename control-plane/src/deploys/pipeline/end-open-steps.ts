import type { Transaction } from "kysely";
import { readOutputTail } from "../events/deploy-output.store.ts";
import type { Claim } from "../deploy-claims.store.ts";
import { readSteps, recordStepEnd } from "../deploy-steps.store.ts";
import type { Database } from "../../platform/database/schema.ts";

/** Ends the step that still says `running` when its deploy is ended from outside. The caller holds the claim. */
export async function endOpenSteps(
  trx: Transaction<Database>,
  claim: Claim,
  status: "failed" | "canceled",
  error: string,
): Promise<void> {
  for (const step of await readSteps(trx, claim.deployId)) {
    if (step.status !== "running") continue;
    const output = await readOutputTail(trx, claim.deployId, step.order);
    await recordStepEnd(trx, claim, step, { status, output, error });
  }
}
