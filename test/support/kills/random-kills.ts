import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { labelFilter, LABEL_APP_NAME, LABEL_ROLE } from "@svc/shared/rules/labels.ts";
import { eventually } from "../tools/eventually.ts";
import type { TestRepository } from "../doubles/git-host.ts";
import { startOwnEngine, type OwnEngine } from "../engine/own-engine.ts";
import { startPlatformWithGit, type PlatformWithGit } from "../platform/platform-with-git.ts";
import { processesBelow } from "./processes-below.ts";
import { rowKeeper } from "./row-keeper.ts";
import { startStoringLoad, type StoringLoad } from "./storing-load.ts";

const APPS = ["ada", "bob", "cyd"];
const PER_SECOND = 50;
/** The time after which a wrong state is no longer waited for. */
const WATCH_MS = 90_000;
const LOOK_MS = 100;
/** A request that took longer was held by the proxy until the app was there again. */
const HELD_MS = 500;
/** An engine that comes back ends what its former self ran a moment later. */
const STAYS_WELL_MS = 3_000;
/** No deploy takes longer, whatever is killed. */
const DEPLOY_MS = 300_000;
const PAUSE_MS_MAX = 2_000;

export const KILLED = [
  "control plane",
  "its PostgreSQL",
  "agent",
  "engine",
  "proxy",
  "name server",
  "database",
] as const;
export type Killed = (typeof KILLED)[number];

export interface Kill {
  number: number;
  what: Killed;
  app: string;
  /** Until the program was there again: started by the test as systemd would, or by who looks after it. Milliseconds. */
  backMs: number;
  /** From then on, until the last time when an app did not answer its visitors or the API said otherwise; unknown when it took too long. */
  wellMs: number | undefined;
  /** The difference between the API's word and the app's answer when the time was over. */
  wrong?: string;
}

export interface RandomKills {
  kills: Kill[];
  /** How deploys ended, and how many; `none` for one without an end. */
  deploys: Map<string, number>;
  sent: number;
  confirmed: number;
  failed: ReadonlyMap<string, number>;
  /** Confirmed rows that the app's database does not have. */
  lost: string[];
}

export interface KillOptions {
  seed: number;
  count: number;
  /** Nothing else is killed; all when omitted. */
  only?: readonly Killed[];
  /** Whether containers outlive their engine, as with those that we install. */
  liveRestore?: boolean;
}

/**
 * Kills one process after the other while three apps store rows in their databases and are deployed without a pause. Which
 * one, and when, follows from the seed.
 * @param onKill told of each as it was seen
 */
export async function killAtRandom(
  { seed, count, only = KILLED, liveRestore = true }: KillOptions,
  onKill: (kill: Kill) => void = () => undefined,
): Promise<RandomKills> {
  const random = randomFrom(seed);
  const args = liveRestore ? ["--live-restore"] : [];
  const engine = await startOwnEngine({ args, images: ["node:22-slim", "postgres:16"], reachable: true });
  let setup: PlatformWithGit | undefined;
  try {
    const agent = {
      DOCKER_HOST: engine.host,
      SVC_ADDRESS_BLOCK: engine.block,
      SVC_ISOLATION: "off",
      SVC_BUILD_CAPS: "off",
    };
    setup = await startPlatformWithGit({ agent, embeddedDatabase: true });
    const world = new World(engine, setup);
    await world.begin();
    const kills: Kill[] = [];
    for (let number = 1; number <= count; number += 1) {
      await delay(random() * PAUSE_MS_MAX);
      const what = only[Math.floor(random() * only.length)]!;
      const app = APPS[Math.floor(random() * APPS.length)]!;
      const kill = await world.killAndWatch(number, what, app);
      kills.push(kill);
      onKill(kill);
    }
    return { kills, ...(await world.end()) };
  } finally {
    await setup?.stop();
    await engine.stop();
  }
}

/** The platform, its load and its deploys. */
class World {
  readonly #engine: OwnEngine;
  readonly #setup: PlatformWithGit;
  readonly #repositories = new Map<string, TestRepository>();
  readonly #deploys = new Map<string, number>();
  readonly #stopping = new AbortController();
  #load!: StoringLoad;
  #deploying: Promise<void> = Promise.resolve();

  constructor(engine: OwnEngine, setup: PlatformWithGit) {
    this.#engine = engine;
    this.#setup = setup;
  }

  async begin(): Promise<void> {
    const { platform } = this.#setup;
    for (const name of APPS) {
      this.#repositories.set(name, await this.#setup.createApp(name, await rowKeeper("0"), { needs_database: true }));
      const { deploy } = await platform.deploy(name);
      if (deploy.status !== "success") throw new Error(`deploy of ${name}: ${deploy.status}, ${deploy.error}`);
      await platform.fetchApp(name);
    }
    const ca = readFileSync(join(platform.agentDataDir, "internal-ca.pem"), "utf8");
    const targets = APPS.map((name) => ({ host: `${name}.${platform.appsDomain}`, port: platform.httpsPort, ca }));
    this.#load = startStoringLoad(targets, PER_SECOND);
    this.#deploying = this.#deployInTurn();
  }

  async killAndWatch(number: number, what: Killed, app: string): Promise<Kill> {
    const killedAt = performance.now();
    await this.#kills[what](app);
    const backAt = performance.now();
    let wrong: string | undefined;
    let wellSince = backAt;
    do {
      const beganAt = performance.now();
      wrong = await this.#wrong();
      if (wrong !== undefined || performance.now() > beganAt + HELD_MS) wellSince = performance.now();
      await delay(LOOK_MS);
    } while (performance.now() < wellSince + STAYS_WELL_MS && performance.now() < backAt + WATCH_MS);
    const ms = { backMs: backAt - killedAt, wellMs: wrong === undefined ? wellSince - backAt : undefined };
    return { number, what, app, ...ms, ...(wrong !== undefined && { wrong }) };
  }

  async end(): Promise<Omit<RandomKills, "kills">> {
    this.#stopping.abort();
    await this.#deploying;
    await this.#load.stop();
    const lost: string[] = [];
    let confirmed = 0;
    for (const app of APPS) {
      const stored = await this.#storedRows(app);
      const rows = this.#load.confirmed.get(`${app}.${this.#setup.platform.appsDomain}`)!;
      confirmed += rows.size;
      lost.push(...[...rows].filter((row) => !stored.has(row)).map((row) => `${app}: ${row}`));
    }
    return { deploys: this.#deploys, sent: this.#load.sent(), confirmed, failed: this.#load.failed, lost };
  }

  /** One app after the other, each with a new commit. */
  async #deployInTurn(): Promise<void> {
    for (let turn = 0; !this.#stopping.signal.aborted; turn += 1) {
      const app = APPS[turn % APPS.length]!;
      await this.#repositories.get(app)!.commit(await rowKeeper(String(turn + 1)));
      const end = await this.#deploy(app);
      this.#deploys.set(end, (this.#deploys.get(end) ?? 0) + 1);
    }
  }

  /** How it ended; `none` when it did not. */
  async #deploy(app: string): Promise<string> {
    const { api } = this.#setup.platform;
    const limits = { deadlineMs: DEPLOY_MS, intervalMs: 200 };
    const isThere = (answer: unknown): boolean => answer !== undefined;
    const newest = (): Promise<string | undefined> =>
      api("GET", `/api/apps/${app}/deploys?limit=1`).then(
        ({ body }) => (body as { deploys?: { id: string }[] }).deploys?.[0]?.id,
        () => undefined,
      );
    const before = await eventually(newest, isThere, { what: `${app}'s last deploy is known`, ...limits });
    // Asked for again after an answer that was lost, it is the same deploy.
    const key = { "Idempotency-Key": randomUUID() };
    const ask = (): Promise<{ deploy_id?: string } | undefined> =>
      api("POST", `/api/apps/${app}/deploy`, {}, key).then(
        ({ status, body }) => (status === 202 ? (body as { deploy_id?: string }) : undefined),
        () => undefined,
      );
    const taken = await eventually(ask, isThere, { what: `a deploy of ${app} is taken`, ...limits });
    // A deploy that waits for its agent gets its id when it begins.
    const isNext = (found: string | undefined): boolean => found !== undefined && found !== before;
    const id =
      taken!.deploy_id ??
      (await eventually(newest, isNext, { what: `the queued deploy of ${app} begins`, ...limits }))!;
    type Seen = { deploy?: { status: string; error?: string | null } } | undefined;
    const read = (): Promise<Seen> =>
      api("GET", `/api/deploys/${id}`).then(
        ({ body }) => body as Seen,
        () => undefined,
      );
    const isOver = (seen: Seen): boolean =>
      seen?.deploy !== undefined && !["pending", "running"].includes(seen.deploy.status);
    const seen = await eventually(read, isOver, {
      what: `deploy ${id} of ${app} ends`,
      deadlineMs: DEPLOY_MS,
      intervalMs: 200,
    }).catch(() => undefined);
    if (!seen?.deploy) return "none";
    return seen.deploy.status === "success" ? "success" : `${seen.deploy.status}: ${seen.deploy.error}`;
  }

  /** Finds what is wrong with some app: no answer to its visitors, or another word of the API's. */
  async #wrong(): Promise<string | undefined> {
    const { platform } = this.#setup;
    const wrongs = await Promise.all(
      APPS.map(async (app) => {
        const [visited, told] = await Promise.all([
          platform.fetchApp(app).then(({ status }) => status, String),
          platform.api("GET", "/api/apps").then(({ body }) => find(body, app), String),
        ]);
        const isTold = typeof told === "object" && told.health?.state === "healthy" && LIVE.has(told.status);
        if (visited === 200 && isTold) return undefined;
        return `${app} answers ${visited}, the API tells ${String(JSON.stringify(told)).slice(0, 300)}`;
      }),
    );
    return wrongs.find((wrong) => wrong !== undefined);
  }

  readonly #kills: Readonly<Record<Killed, (app: string) => Promise<void>>> = {
    "control plane": async () => {
      await this.#setup.platform.controlPlane.stop("SIGKILL");
      await this.#setup.platform.controlPlane.start();
    },
    agent: async () => {
      await this.#setup.platform.agent.stop("SIGKILL");
      await this.#setup.platform.agent.start();
    },
    engine: async () => {
      await this.#engine.kill();
      await this.#engine.startAgain();
    },
    "its PostgreSQL": () => this.#killAndAwait((command) => /^\S*postgres\0/.test(command) && command.includes("-D")),
    proxy: () => this.#killAndAwait((command) => command.includes("caddy\0run")),
    "name server": () => this.#killAndAwait((command) => command.includes("name-server")),
    database: async (app) => {
      const pid = async () => {
        const { Id: id } = await this.#databaseOf(app);
        return (await this.#engine.docker.getContainer(id).inspect()).State.Pid;
      };
      const killed = await eventually(pid, (seen) => seen > 0, {
        what: `${app}'s database runs`,
        deadlineMs: WATCH_MS,
      });
      process.kill(killed, "SIGKILL");
      const isAnother = (seen: number) => seen > 0 && seen !== killed;
      await eventually(pid, isAnother, { what: `${app}'s database runs again`, deadlineMs: WATCH_MS });
    },
  };

  /** Ends one process of the platform's, and waits until who looks after it has started another. */
  async #killAndAwait(isIt: (commandLine: string) => boolean): Promise<void> {
    const find = () => processesBelow(this.#setup.platform.directory).filter(({ commandLine }) => isIt(commandLine));
    const [first] = await eventually(find, (found) => found.length > 0, { what: "it runs", deadlineMs: WATCH_MS });
    process.kill(first!.pid, "SIGKILL");
    const isAnother = (found: ReturnType<typeof find>) =>
      found.length > 0 && found.every(({ pid }) => pid !== first!.pid);
    await eventually(find, isAnother, { what: "it runs again", deadlineMs: WATCH_MS });
  }

  async #databaseOf(app: string) {
    const filters = labelFilter({ [LABEL_APP_NAME]: app, [LABEL_ROLE]: "database" });
    const [database] = await this.#engine.docker.listContainers({ all: true, filters });
    if (!database) throw new Error(`${app} has no database`);
    return database;
  }

  async #storedRows(app: string): Promise<Set<number>> {
    const { body } = await this.#setup.platform.fetchApp(app, "/rows");
    return new Set(body.split(",").map(Number));
  }
}

interface ToldApp {
  name: string;
  status: string;
  health?: { state: string };
}

const find = (body: unknown, app: string): ToldApp | undefined =>
  (body as { apps?: ToldApp[] }).apps?.find(({ name }) => name === app);

/** An app that is being deployed serves its former release. */
const LIVE: ReadonlySet<string> = new Set(["running", "deploying"]);

/** Numbers from 0 to 1, the same ones for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
