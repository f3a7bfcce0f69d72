import { loadTemplates } from "@svc/control-plane/apps/templates/load-templates.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, createRouterTransport } from "@connectrpc/connect";
import { insertApiKey } from "@svc/control-plane/accounts/keys/api-keys.store.ts";
import { createIdentity, type Identity } from "@svc/control-plane/accounts/identity/identity.ts";
import type { SignUpPolicy } from "@svc/control-plane/accounts/identity/joining/sign-up-policy.ts";
import type { OidcProvider } from "@svc/control-plane/accounts/identity/oidc/provider.ts";
import { startNotifications, type RunningNotifications } from "@svc/control-plane/platform/database/notifications.ts";
import { insertUser } from "@svc/control-plane/accounts/users.store.ts";
import { apiKeyPrefix, hashApiKey, makeApiKey } from "@svc/control-plane/accounts/keys/api-key.ts";
import { DEFAULT_DEPLOY_KEY_HOSTS } from "@svc/control-plane/apps/deploy-keys/deploy-key-host.ts";
import { DEFAULT_TIERS, type Tiers } from "@svc/control-plane/accounts/tier.ts";
import type { ModelConfig, ModelTiming } from "@svc/control-plane/assistant/chat/model/ask-model.ts";
import { createHostSync } from "@svc/control-plane/domains/host-sync.ts";
import { isPublicSuffix } from "@svc/control-plane/domains/public-suffix.ts";
import { openHosting, type Hosting } from "@svc/control-plane/repositories/hosting/hosting.ts";
import { createMetrics, type HttpMetrics } from "@svc/control-plane/api/metrics.ts";
import { createApi, type Api } from "@svc/control-plane/api/server.ts";
import type { OperationContext } from "@svc/control-plane/platform/operation.ts";
import type { AgentClient, AgentLinks, DomainChecks, KeyRing, Notifications } from "@svc/control-plane/ports.ts";
import { systemClock, type Clock } from "@svc/shared/platform/clock.ts";
import { AgentService } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { silentLogger, type Logger } from "@svc/shared/platform/logger.ts";
import { createGuardedFetch, type GuardedFetch } from "@svc/shared/net/guarded-fetch.ts";
import { Redactors } from "@svc/shared/redaction/redactors.ts";
import { DescribedAnswers, type OpenApiDocument } from "./described-answers.ts";
import { policyFor } from "./pipeline-policy.ts";
import { testKeyRing } from "./key-ring.ts";
import { createTestDatabase, type TestDatabase } from "../database/postgres.ts";

export interface TestApi {
  api: Api;
  database: TestDatabase;
  notifications: RunningNotifications;
  links: DummyLinks;
  keyRing: KeyRing;
  hosting: Hosting;
  metrics: HttpMetrics;
  identity: Identity;
  /** The parts that operations and background work of the same process get. */
  parts: Omit<OperationContext, "actor" | "requestId"> & { notifications: Notifications; log: Logger };
  /** Ends open streams, as a stopping process does. */
  closing: AbortController;
  /** A verified user of its own, unless told otherwise, and a caller with its key. */
  addCaller(options?: CallerOptions): Promise<Caller>;
  /** An active server; linked unless told otherwise. */
  addServer(name: string, options?: { linked?: boolean; state?: string }): Promise<string>;
  stop(): Promise<void>;
}

export interface CallerOptions {
  verified?: boolean;
  tier?: string;
  scopes?: string[];
  apps?: string[];
  /** Another key of this user. */
  userId?: string;
  /** The team that the key acts in; the user's personal one without it. */
  teamId?: string;
}

export interface Caller {
  userId: string;
  keyId: string;
  key: string;
  /** Sends `body` as JSON when there is one. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
}

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  /** Empty when the body is none. */
  json: Record<string, unknown>;
}

const WRITES_WITHOUT_LIMIT = { perMinute: 1e9, burst: 1e9 };

/** The built-in tiers for tests of something else than the write rate. */
const UNHURRIED_TIERS: Tiers = Object.fromEntries(
  Object.entries(DEFAULT_TIERS).map(([name, tier]) => [name, { ...tier, writes: WRITES_WITHOUT_LIMIT }]),
);

/** Agents that are there and answer nothing. */
class DummyLinks implements AgentLinks {
  readonly linked = new Set<string>();
  /** Agents that do answer, by server. */
  readonly clients = new Map<string, AgentClient>();
  readonly #client = createClient(
    AgentService,
    createRouterTransport(() => undefined),
  );

  agent(serverId: string) {
    return this.linked.has(serverId) ? (this.clients.get(serverId) ?? this.#client) : undefined;
  }
  linkedServers(): string[] {
    return [...this.linked];
  }
  onChange(): () => void {
    return () => undefined;
  }
}

export interface TestApiOptions {
  /** For benchmarks: answers are not held against the OpenAPI document. */
  unchecked?: boolean;
  /** The database of another one, as a second process of the control plane has it. */
  database?: TestDatabase;
  outbound?: GuardedFetch;
  /** Without them, tests write as often as they like. */
  tiers?: Tiers;
  /** Without them, no name has any record. */
  domainChecks?: DomainChecks;
  /** Without it, the built-in templates. */
  templatesDirectory?: string;
  log?: Logger;
  /** {base_url} */
  baseUrl?: string;
  /** Without it, accounts are made by invitation. */
  signUp?: SignUpPolicy;
  /** Providers that people sign in at; without them there is none. */
  oidc?: { providers: readonly OidcProvider[]; timeoutMs?: number };
  /** The time of second factors and of cards. */
  clock?: Clock;
  /** Whether there is a mail server. */
  sendsMail?: boolean;
  /** Answers in the chat; without one, a grammar does. */
  model?: ModelConfig;
  modelTiming?: Partial<ModelTiming>;
}

/** The guard as it is without any configuration. */
const publicOnly = createGuardedFetch({ allowCidrs: [], caPem: "", dnsServers: [] });

/** As it is for addresses that the operator names. */
const everywhere = createGuardedFetch({ allowCidrs: ["0.0.0.0/0", "::/0"], caPem: "", dnsServers: [] });

const noDomains: DomainChecks = {
  txt: async () => ({ values: [] }),
  handshake: async (domain) => ({ error: `queryA ENOTFOUND ${domain}` }),
  address: async (domain) => ({ leadsHere: false, detail: `There is no address for ${domain}.`, trouble: false }),
};

/** The HTTP surface over a database of its own, without a socket. */
export async function startTestApi({
  unchecked = false,
  database: shared,
  tiers = UNHURRIED_TIERS,
  outbound = publicOnly,
  domainChecks = noDomains,
  templatesDirectory,
  log = silentLogger,
  baseUrl = "http://127.0.0.1",
  signUp = { mode: "invite", domains: [] },
  oidc = { providers: [] },
  clock = systemClock,
  sendsMail = true,
  model,
  modelTiming,
}: TestApiOptions = {}): Promise<TestApi> {
  const database = shared ?? (await createTestDatabase());
  const { db } = database;
  const notifications = await startNotifications({
    url: database.url,
    processId: newId(),
    clock: systemClock,
    log: silentLogger,
  });
  const links = new DummyLinks();
  const closing = new AbortController();
  const keyRing = testKeyRing;
  const dataDirectory = mkdtempSync(join(tmpdir(), "svc-test-api-"));
  const hosting = await openHosting({ db, keyRing, clock, baseUrl, dataDirectory });
  const templates = await loadTemplates(templatesDirectory);
  const parts = {
    db,
    clock,
    keyRing,
    redactors: new Redactors(),
    links,
    hosting,
    templates,
    outbound,
    domainChecks,
    hosts: createHostSync({ db, links, appsDomain: "apps.localhost", log: silentLogger }),
    notifications,
    log,
    platform: {
      appsDomain: "apps.localhost",
      appsHttpsPort: 8443,
      deployKeyHosts: DEFAULT_DEPLOY_KEY_HOSTS,
      pipeline: policyFor("apps.localhost"),
      domainRules: { appsDomain: "apps.localhost", baseHost: "127.0.0.1", isPublicSuffix },
      tiers,
      sendsMail,
    },
  };
  const metrics = createMetrics({ db, links });
  const identity = createIdentity({
    db,
    keyRing,
    clock,
    log,
    baseUrl,
    signUp,
    oidc: { ...oidc, toIssuer: everywhere, toOthers: outbound },
  });
  const api = createApi({
    ...parts,
    identity,
    joining: { authorityFingerprint: "0".repeat(64), agentsAddress: { host: "127.0.0.1", port: 8443 } },
    metrics,
    baseUrl,
    closing: closing.signal,
    model,
    ...(modelTiming && { modelTiming }),
    eventStreamTiming: { pollMs: 200, heartbeatMs: 400 },
  });

  if (!unchecked) await holdAnswersAgainstDescription(api, baseUrl);

  async function addCaller({ verified = true, tier = "team", scopes, apps, userId, teamId }: CallerOptions = {}) {
    const owner = userId ?? newId();
    if (userId === undefined) {
      const emailVerifiedAt = verified ? new Date() : null;
      await insertUser(db, { id: owner, email: `${owner}@example.test`, tier, emailVerifiedAt });
    }
    const key = makeApiKey();
    const { id } = await insertApiKey(db, {
      id: newId(),
      userId: owner,
      teamId: teamId ?? owner,
      name: "test",
      prefix: apiKeyPrefix(key),
      hash: hashApiKey(key),
      scopes: scopes ?? null,
      apps: apps ?? null,
      expiresAt: null,
    });
    return { userId: owner, keyId: id, key, call: callerOf(api, key) };
  }

  async function addServer(name: string, { linked = true, state = "active" } = {}): Promise<string> {
    const id = newId();
    await database.query("insert into servers (id, name, state, joined_at) values ($1, $2, $3, now())", [
      id,
      name,
      state,
    ]);
    if (linked) links.linked.add(id);
    return id;
  }

  return {
    api,
    database,
    notifications,
    links,
    keyRing,
    hosting,
    metrics,
    identity,
    parts,
    closing,
    addCaller,
    addServer,
    async stop() {
      closing.abort();
      await identity.settled();
      await notifications.stop();
      if (!shared) await database.drop();
      rmSync(dataDirectory, { recursive: true, force: true });
    },
  };
}

/** From now on a request throws when its answer is not as the OpenAPI document says. */
async function holdAnswersAgainstDescription(api: Api, baseUrl: string): Promise<void> {
  const request = api.request;
  const document = await (await request("/api/openapi.json")).json();
  const described = new DescribedAnswers(document as OpenApiDocument);
  api.request = async (input, init, ...rest) => {
    const response = await request(input, init, ...rest);
    const { pathname } = new URL(input instanceof Request ? input.url : String(input), baseUrl);
    const method = input instanceof Request ? input.method : init?.method;
    await described.check(method ?? "GET", pathname, response);
    return response;
  };
}

function callerOf(api: Api, key: string): Caller["call"] {
  return async (method, path, body, headers = {}) => {
    const response = await api.request(path, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    return replyOf(response);
  };
}

export async function replyOf(response: Response): Promise<Reply> {
  const text = await response.text();
  const isJson = response.headers.get("Content-Type")?.startsWith("application/json");
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson && text !== "" ? JSON.parse(text) : {},
  };
}
