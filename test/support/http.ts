import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, createRouterTransport } from "@connectrpc/connect";
import { insertApiKey } from "@svc/control-plane/db/api-keys.ts";
import { startNotifications, type RunningNotifications } from "@svc/control-plane/db/notifications.ts";
import { insertUser } from "@svc/control-plane/db/users.ts";
import { apiKeyPrefix, hashApiKey, makeApiKey } from "@svc/control-plane/domain/api-key.ts";
import { DEFAULT_DEPLOY_KEY_HOSTS } from "@svc/control-plane/domain/deploy-key-host.ts";
import { DEFAULT_TIERS, type Tiers } from "@svc/control-plane/domain/tier.ts";
import { openHosting, type Hosting } from "@svc/control-plane/hosting/hosting.ts";
import { createApi, type Api } from "@svc/control-plane/http/server.ts";
import type { AgentLinks, KeyRing } from "@svc/control-plane/ports.ts";
import { createKeyRing } from "@svc/control-plane/secrets/keyring.ts";
import { systemClock } from "@svc/shared/clock.ts";
import { AgentService } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { newId } from "@svc/shared/ids.ts";
import { silentLogger } from "@svc/shared/logger.ts";
import { createGuardedFetch, type GuardedFetch } from "@svc/shared/net/guarded-fetch.ts";
import { DescribedAnswers, type OpenApiDocument } from "./described-answers.ts";
import { createTestDatabase, type TestDatabase } from "./postgres.ts";

export interface TestApi {
  api: Api;
  database: TestDatabase;
  notifications: RunningNotifications;
  links: DummyLinks;
  keyRing: KeyRing;
  hosting: Hosting;
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
export const UNHURRIED_TIERS: Tiers = Object.fromEntries(
  Object.entries(DEFAULT_TIERS).map(([name, tier]) => [name, { ...tier, writes: WRITES_WITHOUT_LIMIT }]),
);

/** Agents that are there and answer nothing. */
export class DummyLinks implements AgentLinks {
  readonly linked = new Set<string>();
  readonly #client = createClient(
    AgentService,
    createRouterTransport(() => undefined),
  );

  agent(serverId: string) {
    return this.linked.has(serverId) ? this.#client : undefined;
  }
  linkedServers(): string[] {
    return [...this.linked];
  }
  onChange(): () => void {
    return () => undefined;
  }
}

export interface TestApiOptions {
  outbound?: GuardedFetch;
  /** Without them, tests write as often as they like. */
  tiers?: Tiers;
  /** Without it, the built-in templates. */
  templatesDirectory?: string;
}

/** The guard as it is without any configuration. */
const publicOnly = createGuardedFetch({ allowCidrs: [], caPem: "", dnsServers: [] });

/** The HTTP surface over a database of its own, without a socket. */
export async function startTestApi({
  tiers = UNHURRIED_TIERS,
  outbound = publicOnly,
  templatesDirectory,
}: TestApiOptions = {}): Promise<TestApi> {
  const database = await createTestDatabase();
  const { db } = database;
  const notifications = await startNotifications({ url: database.url, clock: systemClock, log: silentLogger });
  const links = new DummyLinks();
  const closing = new AbortController();
  const keyRing = createKeyRing([randomBytes(32)]);
  const dataDirectory = mkdtempSync(join(tmpdir(), "svc-test-api-"));
  const clock = systemClock;
  const baseUrl = "http://127.0.0.1";
  const hosting = await openHosting({ db, keyRing, clock, baseUrl, dataDirectory, templatesDirectory });
  const api = createApi({
    db,
    clock,
    keyRing,
    links,
    hosting,
    outbound,
    notifications,
    log: silentLogger,
    platform: { appsDomain: "apps.localhost", appsHttpsPort: 8443, deployKeyHosts: DEFAULT_DEPLOY_KEY_HOSTS, tiers },
    baseUrl,
    closing: closing.signal,
    eventStreamTiming: { pollMs: 200, heartbeatMs: 400 },
  });

  await holdAnswersAgainstDescription(api);

  async function addCaller({ verified = true, tier = "team", scopes, apps, userId }: CallerOptions = {}) {
    const owner = userId ?? newId();
    if (userId === undefined) {
      const emailVerifiedAt = verified ? new Date() : null;
      await insertUser(db, { id: owner, email: `${owner}@example.test`, tier, emailVerifiedAt });
    }
    const key = makeApiKey();
    const { id } = await insertApiKey(db, {
      id: newId(),
      userId: owner,
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
    closing,
    addCaller,
    addServer,
    async stop() {
      closing.abort();
      await notifications.stop();
      await database.drop();
      rmSync(dataDirectory, { recursive: true, force: true });
    },
  };
}

/** From now on a request throws when its answer is not as the OpenAPI document says. */
async function holdAnswersAgainstDescription(api: Api): Promise<void> {
  const request = api.request;
  const document = await (await request("/api/openapi.json")).json();
  const described = new DescribedAnswers(document as OpenApiDocument);
  api.request = async (input, init, ...rest) => {
    const response = await request(input, init, ...rest);
    const url = input instanceof Request ? input.url : String(input);
    await described.check(init?.method ?? "GET", url.replace(/^https?:\/\/[^/]+/, ""), response);
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
  return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : {} };
}
