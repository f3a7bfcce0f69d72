import { randomBytes } from "node:crypto";
import { openDatabase } from "@svc/control-plane/platform/database/database.ts";
import { DEFAULT_DEPLOY_KEY_HOSTS } from "@svc/control-plane/apps/deploy-keys/deploy-key-host.ts";
import { createIdentity } from "@svc/control-plane/accounts/identity/identity.ts";
import { DEFAULT_TIERS } from "@svc/control-plane/accounts/tier.ts";
import { createHostSync } from "@svc/control-plane/domains/host-sync.ts";
import { createReadTokens } from "@svc/control-plane/repositories/hosting/read-token.ts";
import { DiskRoom } from "@svc/control-plane/repositories/hosting/disk-room.ts";
import { RepositoryFolders } from "@svc/control-plane/repositories/hosting/repository-folders.ts";
import { createApi } from "@svc/control-plane/api/server.ts";
import { systemClock as clock } from "@svc/shared/platform/clock.ts";
import { silentLogger as log } from "@svc/shared/platform/logger.ts";
import { createGuardedFetch } from "@svc/shared/net/guarded-fetch.ts";
import { Redactors } from "@svc/shared/redaction/redactors.ts";
import { policyFor } from "./pipeline-policy.ts";
import { testKeyRing as keyRing } from "./key-ring.ts";

/** Reads the API's own description from one that has no database and serves nobody. */
export async function readOpenApiDocument(): Promise<string> {
  const db = openDatabase({ url: "postgres://nobody@127.0.0.1:1/none", log });
  const links = { agent: () => undefined, linkedServers: () => [], onChange: () => () => undefined };
  const baseUrl = "https://svc.example.com";
  const appsDomain = "apps.example.com";
  const outbound = createGuardedFetch({ allowCidrs: [], caPem: "", dnsServers: [] });
  const api = createApi({
    db,
    links,
    clock,
    log,
    keyRing,
    redactors: new Redactors(),
    identity: createIdentity({
      db,
      clock,
      log,
      keyRing,
      baseUrl,
      signUp: { mode: "closed", domains: [] },
      oidc: { providers: [], toIssuer: outbound, toOthers: outbound },
    }),
    metrics: { observe: () => undefined },
    joining: { authorityFingerprint: "0".repeat(64), agentsAddress: { host: "127.0.0.1", port: 8443 } },
    baseUrl,
    notifications: { subscribe: () => () => undefined, listening: false },
    outbound,
    domainChecks: {
      txt: async () => ({ values: [] }),
      address: async () => ({ leadsHere: false, detail: "none", trouble: false }),
      handshake: async () => ({ error: "none" }),
    },
    hosts: createHostSync({ db, links, appsDomain, log }),
    templates: [],
    hosting: {
      baseUrl,
      folders: new RepositoryFolders("/nonexistent"),
      disk: new DiskRoom("/nonexistent"),
      tokens: createReadTokens(randomBytes(32), clock),
    },
    platform: {
      appsDomain,
      appsHttpsPort: 443,
      deployKeyHosts: DEFAULT_DEPLOY_KEY_HOSTS,
      pipeline: policyFor(appsDomain),
      domainRules: { appsDomain, baseHost: "svc.example.com", isPublicSuffix: () => false },
      tiers: DEFAULT_TIERS,
      sendsMail: true,
    },
    closing: new AbortController().signal,
  });
  return (await api.request("/api/openapi.json")).text();
}
