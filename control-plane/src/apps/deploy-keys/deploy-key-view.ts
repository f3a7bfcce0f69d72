import { SvcError } from "@svc/shared/errors.ts";
import type { DeployKeyRow } from "./deploy-keys.store.ts";

/** A deploy key as the API shows it. */
export function toDeployKeyView(row: DeployKeyRow) {
  return { ...row, created_at: row.created_at.toISOString() };
}

export function noDeployKey(): SvcError {
  return new SvcError("not_found", "The app has no deploy key: make one with POST.");
}
