import type { DeployRow, DeployStepRow } from "./deploys.store.ts";

/** A deploy as the API shows it; times are ISO 8601 in UTC. */
export function deployView(row: DeployRow) {
  return {
    id: row.id,
    app_id: row.app_id,
    user_id: row.user_id,
    deployed_by: row.deployed_by,
    status: row.status,
    ref: row.ref,
    release: row.release,
    commit_sha: row.commit_sha,
    created_at: row.created_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    finished_at: row.finished_at?.toISOString() ?? null,
    ...errorOf(row),
    ...(row.taken_back && { taken_back: row.taken_back }),
  };
}

/** @param output of a step that has ended; of a running one, what it has printed so far */
export function deployStepView(row: DeployStepRow, output: string) {
  return {
    step_name: row.step_name,
    step_order: row.step_order,
    status: row.status,
    output,
    started_at: row.started_at?.toISOString() ?? null,
    finished_at: row.finished_at?.toISOString() ?? null,
    ...errorOf(row),
  };
}

/** The reason of a failure; a cancelation has one in its row as well, which is not an error. */
function errorOf({ status, error }: { status: string; error: string | null }): { error?: string } {
  return status === "failed" ? { error: error ?? "It failed for an unknown reason." } : {};
}
