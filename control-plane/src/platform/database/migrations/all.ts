import { start } from "./0001-0010/0001-start.ts";
import { wholeApi } from "./0001-0010/0002-whole-api.ts";
import { specFile } from "./0001-0010/0003-spec-file.ts";
import { ownRepositories } from "./0001-0010/0004-own-repositories.ts";
import { credentialNotices } from "./0001-0010/0005-credential-notices.ts";
import { domainChecks } from "./0001-0010/0006-domain-checks.ts";
import { readBuckets } from "./0001-0010/0007-read-buckets.ts";
import { deployInputs } from "./0001-0010/0008-deploy-inputs.ts";
import { emptyRepositories } from "./0001-0010/0009-empty-repositories.ts";
import { bounds } from "./0001-0010/0010-bounds.ts";
import { platformStops } from "./0011-0020/0011-platform-stops.ts";
import { usedReleases } from "./0011-0020/0012-used-releases.ts";
import { appHealth } from "./0011-0020/0013-app-health.ts";
import { takenBack } from "./0011-0020/0014-taken-back.ts";
import { rollbacksBeside } from "./0011-0020/0015-rollbacks-beside.ts";
import { serverKeys } from "./0011-0020/0016-server-keys.ts";
import { toldUnhealthy } from "./0011-0020/0017-told-unhealthy.ts";
import { rootFolder } from "./0011-0020/0018-root-folder.ts";
import { teams } from "./0011-0020/0019-teams.ts";
import { mails } from "./0011-0020/0020-mails.ts";
import { identity } from "./0021-0030/0021-identity.ts";
import { deviceCodes } from "./0021-0030/0022-device-codes.ts";
import { oidcAttempts } from "./0021-0030/0023-oidc-attempts.ts";
import { passkeys } from "./0021-0030/0024-passkeys.ts";
import { sealedVariables } from "./0021-0030/0025-sealed-variables.ts";
import { operators } from "./0021-0030/0026-operators.ts";
import { appMetrics } from "./0021-0030/0027-app-metrics.ts";
import { releaseVariables } from "./0021-0030/0028-release-variables.ts";
import { auditActors } from "./0021-0030/0029-audit-actors.ts";
import { conversations } from "./0021-0030/0030-conversations.ts";
import { oauthClients } from "./0031-0040/0031-oauth-clients.ts";
import { pools } from "./0031-0040/0032-pools.ts";
import { appCaps } from "./0031-0040/0033-app-caps.ts";
import { moves } from "./0031-0040/0034-moves.ts";
import { agentUpgrades } from "./0031-0040/0035-agent-upgrades.ts";

export interface Migration {
  /** 1, 2, 3, … without gaps. */
  version: number;
  name: string;
  sql: string;
}

/** Migrations are listed by hand, in order: what runs on a user's data is never found by listing a folder. */
export const MIGRATIONS: readonly Migration[] = [
  start,
  wholeApi,
  specFile,
  ownRepositories,
  credentialNotices,
  domainChecks,
  readBuckets,
  deployInputs,
  emptyRepositories,
  bounds,
  platformStops,
  usedReleases,
  appHealth,
  takenBack,
  rollbacksBeside,
  serverKeys,
  toldUnhealthy,
  rootFolder,
  teams,
  mails,
  identity,
  deviceCodes,
  oidcAttempts,
  passkeys,
  sealedVariables,
  operators,
  appMetrics,
  releaseVariables,
  auditActors,
  conversations,
  oauthClients,
  pools,
  appCaps,
  moves,
  agentUpgrades,
];
