import { listen, type ApiListener } from "@svc/control-plane/api/listener.ts";
import { silentLogger } from "@svc/shared/platform/logger.ts";
import type { KyselyPlugin } from "kysely";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { REPO_URL } from "./app-world.ts";
import { eventually } from "../tools/eventually.ts";
import { startTestApi, type Caller, type TestApi } from "./http.ts";
import { createTestDatabase, type TestDatabase } from "../database/postgres.ts";
import { addLiveRelease, ScriptedApps } from "./scripted-apps.ts";

/** The API on a port, and a server whose agent is scripted; for each test an owner, and an app of theirs that is live. */
export class StreamWorld {
  database!: TestDatabase;
  http!: TestApi;
  ada!: Caller;
  agent!: ScriptedApps;
  /** The name of the owner's app. */
  name!: string;
  #serverId!: string;
  #listener: ApiListener | undefined;
  #count = 0;

  /** @param plugins see what the API asks the database, and not what the test asks */
  async start(plugins: readonly KyselyPlugin[]): Promise<void> {
    this.database = await createTestDatabase();
    const db = plugins.reduce((each, plugin) => each.withPlugin(plugin), this.database.db);
    this.http = await startTestApi({ database: { ...this.database, db }, unchecked: true });
    const address = { host: "127.0.0.1", port: 0 };
    this.#listener = await listen(this.http.api, { address, tls: undefined, log: silentLogger });
    this.#serverId = await this.http.addServer("server-1");
  }

  async renew(): Promise<void> {
    this.ada = await this.http.addCaller();
    this.agent = new ScriptedApps();
    this.http.links.clients.set(this.#serverId, this.agent.client());
    this.name = await this.addApp();
  }

  async stop(): Promise<void> {
    await this.http?.stop();
    await this.#listener?.close();
    await this.database?.drop();
  }

  /** @returns its name */
  async addApp(caller = this.ada): Promise<string> {
    const name = `app-${++this.#count}`;
    await caller.call("POST", "/api/apps", { name, repo_url: REPO_URL });
    const { db } = this.http.database;
    const app = { name, userId: caller.userId, serverId: this.#serverId };
    await addLiveRelease({ db, keyRing: this.http.keyRing }, app);
    return name;
  }

  /** The app's only deploy looks as if it were running. */
  async reopenDeploy(name: string): Promise<string> {
    const { database } = this.http;
    const { rows } = await database.query(
      "select id from deploys where app_id = (select id from apps where name = $1)",
      [name],
    );
    const id = String(rows[0]!["id"]);
    await database.query("alter table deploys disable trigger deploys_next_status");
    await database.query("update deploys set status = 'running', finished_at = null, server_id = null where id = $1", [
      id,
    ]);
    await database.query("alter table deploys enable trigger deploys_next_status");
    return id;
  }

  open(path: string, caller = this.ada, headers: Record<string, string> = {}): Promise<Follower> {
    return Follower.open(`http://127.0.0.1:${this.#listener!.address.port}${path}`, caller, headers);
  }

  openMany(n: number, path: string, caller = this.ada): Promise<Follower[]> {
    return Promise.all(Array.from({ length: n }, () => this.open(path, caller)));
  }
}

/** Call it at the top of a test file: it starts, renews and stops the world. */
export function useStreamWorld(...plugins: KyselyPlugin[]): StreamWorld {
  const world = new StreamWorld();
  beforeAll(() => world.start(plugins));
  beforeEach(() => world.renew());
  afterAll(() => world.stop());
  return world;
}

export const leaveAll = (followers: readonly Follower[]): void => followers.forEach((each) => each.leave());

export const followersOf = (agent: ScriptedApps, wanted: number, what: string) =>
  eventually(
    () => agent.followers.size,
    (size) => size === wanted,
    { what },
  );

/** One follower over a connection of its own. */
export class Follower {
  readonly status: number;
  readonly headers: Headers;
  text = "";
  hasEnded = false;
  readonly #leave: AbortController;

  static async open(url: string, caller: Caller, headers: Record<string, string>): Promise<Follower> {
    const leave = new AbortController();
    const response = await fetch(url, {
      headers: { Authorization: `Bearer ${caller.key}`, ...headers },
      signal: leave.signal,
    });
    return new Follower(response, leave);
  }

  private constructor(response: Response, leave: AbortController) {
    this.status = response.status;
    this.headers = response.headers;
    this.#leave = leave;
    void this.#read(response).catch(() => (this.hasEnded = true));
  }

  async #read(response: Response): Promise<void> {
    for await (const text of response.body!.pipeThrough(new TextDecoderStream())) this.text += text;
    this.hasEnded = true;
  }

  leave(): void {
    this.#leave.abort();
  }

  until(wanted: string): Promise<unknown> {
    return this.#until(wanted, () => this.text);
  }

  /** Resolves once the event that has it is there as a whole: a long one comes in pieces. */
  untilWhole(wanted: string): Promise<unknown> {
    return this.#until(wanted, () => this.text.slice(0, this.text.lastIndexOf("\n\n") + 1));
  }

  #until(wanted: string, seen: () => string): Promise<unknown> {
    return eventually(seen, (text) => text.includes(wanted), { what: `the follower sees ${wanted}` });
  }
}
