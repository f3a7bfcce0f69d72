import { SvcError } from "@svc/shared/errors.ts";
import type { AppRow } from "../app.ts";
import { sshRepository } from "./deploy-key-host.ts";
import type { OperationContext } from "../../platform/operation.ts";

/**
 * Before anything else about a deploy key.
 * @throws SvcError deploy_key_unsupported when the app's repository cannot be read with one
 */
export function requireDeployKeyRepository({ platform }: OperationContext, app: AppRow): void {
  if (sshRepository(app.repo_url, platform.deployKeyHosts)) return;
  const forms = platform.deployKeyHosts.map(({ host }) => `https://${host}/<owner>/<repo>`).join(" or ");
  throw new SvcError(
    "deploy_key_unsupported",
    `Deploy keys need a repository of the form ${forms}. Give the app such a repository first.`,
  );
}
