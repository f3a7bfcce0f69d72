import { afterAll, beforeAll, beforeEach } from "vitest";
import { startTestApi, type Caller, type TestApi } from "./http.ts";
import { addLiveRelease, ScriptedApps } from "./scripted-apps.ts";

export const REPO_URL = "https://git.example.test/team/app.git";

/** The API, a caller, and a linked server; for each test an app of the caller's, and an agent that does what a script says. */
export class AppWorld {
  http!: TestApi;
  ada!: Caller;
  serverId!: string;
  agent!: ScriptedApps;
  /** The name of the app, which was never deployed. */
  name!: string;
  #count = 0;

  async start(): Promise<void> {
    this.http = await startTestApi();
    this.ada = await this.http.addCaller();
    this.serverId = await this.http.addServer("server-1");
  }

  async renew(): Promise<void> {
    this.agent = new ScriptedApps();
    this.http.links.clients.set(this.serverId, this.agent.client());
    this.http.links.linked.add(this.serverId);
    this.name = `app-${++this.#count}`;
    await this.ada.call("POST", "/api/apps", { name: this.name, repo_url: REPO_URL });
  }

  /** Makes the app look deployed, with these variables. */
  live(env: Record<string, string> = {}): ReturnType<typeof addLiveRelease> {
    const { http, ada, serverId, name } = this;
    return addLiveRelease({ db: http.database.db, keyRing: http.keyRing }, { name, userId: ada.userId, serverId, env });
  }

  /** Reads the app's row. */
  row() {
    const apps = this.http.database.db.selectFrom("apps").selectAll();
    return apps.where("name", "=", this.name).executeTakeFirst();
  }
}

/** Call it at the top of a test file: it starts, renews and stops the world. */
export function useAppWorld(): AppWorld {
  const world = new AppWorld();
  beforeAll(() => world.start());
  beforeEach(() => world.renew());
  afterAll(() => world.http?.stop());
  return world;
}
