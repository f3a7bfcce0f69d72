import { listen, type ApiListener } from "@svc/control-plane/http/listener.ts";
import { silentLogger } from "@svc/shared/logger.ts";
import { eventually } from "./eventually.ts";
import { startTestApi, type Caller, type TestApi } from "./http.ts";
import type { TestDatabase } from "./postgres.ts";
import { addLiveRelease, ScriptedApps } from "./scripted-apps.ts";

/** The API on a port, a server whose agent is scripted, and apps there that are live. */
export class StreamWorld {
  readonly http: TestApi;
  readonly serverId: string;
  readonly #listener: ApiListener;
  #count = 0;

  static async start(database: TestDatabase): Promise<StreamWorld> {
    const http = await startTestApi({ database, unchecked: true });
    const address = { host: "127.0.0.1", port: 0 };
    const listener = await listen(http.api, { address, tls: undefined, log: silentLogger });
    return new StreamWorld(http, listener, await http.addServer("server-1"));
  }

  private constructor(http: TestApi, listener: ApiListener, serverId: string) {
    this.http = http;
    this.#listener = listener;
    this.serverId = serverId;
  }

  async stop(): Promise<void> {
    await this.http.stop();
    await this.#listener.close();
  }

  /** The agent from here on. */
  newAgent(): ScriptedApps {
    const agent = new ScriptedApps();
    this.http.links.clients.set(this.serverId, agent.client());
    return agent;
  }

  /** @returns its name */
  async addApp({ caller }: { caller: Caller }): Promise<string> {
    const name = `app-${++this.#count}`;
    await caller.call("POST", "/api/apps", { name, repo_url: "https://git.example.test/team/app.git" });
    const { db } = this.http.database;
    const app = { name, userId: caller.userId, serverId: this.serverId };
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

  open(path: string, caller: Caller, headers: Record<string, string> = {}): Promise<Follower> {
    return Follower.open(`http://127.0.0.1:${this.#listener.address.port}${path}`, caller, headers);
  }

  openMany(n: number, path: string, caller: Caller): Promise<Follower[]> {
    return Promise.all(Array.from({ length: n }, () => this.open(path, caller)));
  }
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
    return eventually(
      () => this.text,
      (text) => text.includes(wanted),
      { what: `the follower sees ${wanted}` },
    );
  }
}
