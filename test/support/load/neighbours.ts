import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { sql } from "kysely";
import { addKey } from "../api/accounts.ts";
import { eventually } from "../tools/eventually.ts";
import { startPlatformWithAcme, type PlatformWithAcme } from "../platform/platform-with-acme.ts";
import type { Platform } from "../platform/platform.ts";
import type { LoadTarget } from "./connections.ts";
import { steadyApp } from "./load-apps.ts";
import { startMixedLoad, type MixedLoad } from "./mixed-load.ts";
import { greedyApp, storingApp, talkativeBuild } from "./neighbour-apps.ts";
import { takeCertificates } from "./take-certificates.ts";

/** Small, so that an app is over it within seconds. */
const APP_DISK = "300m";
/** How long an attack that nothing ends goes on. Milliseconds. */
const ATTACK_MS = 10_000;
const FOLLOWERS = 1_000;
const LOG_BYTES = 12 * 1024 * 1024;
/** The most that a failed deploy may leave behind, whatever it wrote (decision 015). */
const STORED_BYTES_MAX = 5_000_000;

/** Resources that a tenant tries to use up. */
export const SCENES = ["disk", "files", "memory", "processes", "log", "database", "streams", "certificates"] as const;
export type Scene = (typeof SCENES)[number];

/** Two owners on one host: one whose app stores a row for each request, and one who takes what can be had. */
export interface Neighbours {
  setup: PlatformWithAcme;
  /** With the key of the owner who takes. */
  greedy: Platform["api"];
  startLoad(perSecond: number): Promise<MixedLoad>;
  /** Resolves when the attempt has ended. */
  play(scene: Scene): Promise<void>;
}

interface GreedyApp {
  name: string;
  status: string;
  /** Why the platform has stopped it. */
  stopped_by?: { reason: string };
}

/** @param agent further variables of the agent's environment */
export async function startNeighbours(agent: Record<string, string> = {}): Promise<Neighbours> {
  const setup = await startPlatformWithAcme({ agent: { SVC_APP_DISK: APP_DISK, ...agent } });
  const { platform, git } = setup;
  const owner = await addKey(platform.database.db);
  const greedy = platform.as(owner.key);

  async function deploy(api: Platform["api"], app: string, expected: "success" | "failed"): Promise<string> {
    const { status, body } = await api("POST", `/api/apps/${app}/deploy`, {});
    const { deploy_id: id } = body as { deploy_id?: string };
    if (status !== 202 || id === undefined) throw new Error(`deploy of ${app}: ${status} ${JSON.stringify(body)}`);
    const { deploy: end } = await eventually(
      async () => (await api("GET", `/api/deploys/${id}`)).body as { deploy: { status: string; error?: string } },
      (answer) => !["pending", "running"].includes(answer.deploy.status),
      { what: `the deploy of ${app} ends`, deadlineMs: 120_000 },
    );
    if (end.status !== expected) throw new Error(`deploy of ${app}: ${end.status}, ${end.error ?? "no error"}`);
    return id;
  }

  async function create(name: string, files: ReturnType<typeof greedyApp>): Promise<void> {
    const repository = await git.repository(name, files);
    const { status, body } = await greedy("POST", "/api/apps", { name, repo_url: repository.url });
    if (status !== 201) throw new Error(`create ${name}: ${status} ${JSON.stringify(body)}`);
  }

  const targetOf = (app: string): LoadTarget => ({
    host: `${app}.${platform.appsDomain}`,
    port: platform.httpsPort,
    ca: readFileSync(join(platform.agentDataDir, "internal-ca.pem"), "utf8"),
  });

  /** Has the greedy app take something, until it is stopped. */
  async function untilStopped(path: string): Promise<void> {
    await platform.fetchApp("greedy", path);
    await eventually(readGreedy, (app) => app.status === "stopped" && app.stopped_by?.reason === "disk_limit", {
      what: `the app that asked for ${path} is stopped`,
      deadlineMs: 60_000,
    });
  }

  async function storedBytes(deployId: string): Promise<number> {
    const { rows } = await sql<{ bytes: string }>`
      select coalesce(sum(pg_column_size(e.*)), 0)::text as bytes from deploy_events e where deploy_id = ${deployId}
    `.execute(platform.database.db);
    return Number(rows[0]!.bytes);
  }

  async function forAWhile(path: string): Promise<void> {
    await platform.fetchApp("greedy", path);
    await delay(ATTACK_MS);
  }

  /** Has the greedy app take something for a while, and then looks for the platform's words in its log. */
  async function untilToldOf(path: string, words: string): Promise<void> {
    await forAWhile(path);
    await eventually(
      async () => String(((await greedy("GET", "/api/apps/greedy/logs?lines=500")).body as { logs?: string }).logs),
      (log) => log.split("\n").some((line) => line.includes("[platform]") && line.includes(words)),
      { what: `the log tells of ${path}`, deadlineMs: 30_000 },
    );
  }

  async function readGreedy(): Promise<GreedyApp> {
    const { body } = await greedy("GET", "/api/apps");
    return (body as { apps: GreedyApp[] }).apps.find(({ name }) => name === "greedy")!;
  }

  /** Removing hundreds of thousands of files takes the engine seconds, for which deploys are refused. */
  async function deployOnceThereIsRoom(): Promise<void> {
    const tryOnce = (): Promise<string> =>
      deploy(greedy, "greedy", "success").catch((error: Error) => {
        if (!error.message.includes("There is no room for the build")) throw error;
        return error.message;
      });
    await eventually(tryOnce, (answer) => !answer.includes("There is no room"), {
      what: "the app that was removed is deployed again",
      deadlineMs: 60_000,
    });
  }

  /** With an empty layer: started with what it has written, it would soon be stopped again. */
  async function bringBack(): Promise<void> {
    if ((await readGreedy()).status === "stopped") return deployOnceThereIsRoom();
    const { status, body } = await greedy("POST", "/api/apps/greedy/action", { action: "restart" });
    if (status !== 200) throw new Error(`restarting greedy: ${status} ${JSON.stringify(body)}`);
  }

  /** Asks for many streams at once and holds those that it gets. */
  async function follow(): Promise<void> {
    const ended = new AbortController();
    const id = await deploy(greedy, "greedy", "success");
    const paths = [`/api/deploys/${id}/events`, "/api/apps/greedy/logs?follow=1"];
    const statuses = Array.from({ length: FOLLOWERS }, async (_, number) => {
      const headers = { authorization: `Bearer ${owner.key}` };
      const url = platform.baseUrl + paths[number % paths.length]!;
      return (await fetch(url, { headers, signal: ended.signal })).status;
    });
    const refused = (await Promise.all(statuses)).filter((status) => status === 429).length;
    await delay(ATTACK_MS);
    ended.abort();
    if (refused < FOLLOWERS / 2) throw new Error(`only ${refused} of ${FOLLOWERS} followers were refused`);
  }

  const scenes: Readonly<Record<Scene, () => Promise<void>>> = {
    disk: () => untilStopped("/disk"),
    files: () => untilStopped("/files"),
    memory: () => untilToldOf("/memory", "reached its memory limit"),
    processes: () => untilToldOf("/processes", "process"),
    log: () => forAWhile("/log"),
    async database() {
      for (let round = 0; round < 3; round++) {
        const id = await deploy(greedy, "talkative", "failed");
        const bytes = await storedBytes(id);
        if (bytes > STORED_BYTES_MAX) throw new Error(`a failed deploy left ${bytes} bytes in the database`);
      }
    },
    streams: follow,
    certificates: () => takeCertificates({ setup, api: greedy, app: "greedy", attackMs: ATTACK_MS }),
  };

  try {
    await setup.createApp("busy", storingApp(), { needs_database: true });
    await setup.createApp("steady", steadyApp());
    await create("greedy", greedyApp());
    await create("talkative", talkativeBuild(LOG_BYTES));
    await deploy(platform.api, "busy", "success");
    await deploy(platform.api, "steady", "success");
    await deploy(greedy, "greedy", "success");
  } catch (error) {
    await setup.stop();
    throw error;
  }
  return {
    setup,
    greedy,
    startLoad: (perSecond) =>
      startMixedLoad({ target: targetOf("busy"), steady: targetOf("steady"), perSecond, slowEveryMs: 1_000 }),
    async play(scene) {
      await scenes[scene]();
      if (scene !== "database") await bringBack();
    },
  };
}
