import { execFile } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { nodeApp, program } from "./apps.ts";
import { eventually } from "../tools/eventually.ts";
import type { Files } from "../doubles/git-host.ts";
import type { Platform } from "./platform.ts";
import { startPlatformWithGit } from "./platform-with-git.ts";

const run = promisify(execFile);
const SECRET = "correct-horse-battery";
const VISIT_MS = 50;

export interface TakenBack {
  reason: string;
  detail: string;
  exit_code: number | null;
  last_lines: string[];
  release: string;
  deploy_id: string;
}

export interface ShownDeploy {
  id: string;
  status: string;
  taken_back?: TakenBack;
}

/** A release that answers `two`, and does something `ms` after its first request, which is the one that proves its route. */
export function failing(ms: number, what: string, answer = 'res.end("two")'): Files {
  return program(`const sockets = new Set();
let begun;
const server = require("node:http").createServer((req, res) => {
  begun ??= setTimeout(() => { ${what} }, ${ms});
  ${answer}
});
server.on("connection", (socket) => sockets.add(socket));
server.listen(process.env.PORT, "0.0.0.0");`);
}

export function exiting(ms: number): Files {
  return failing(ms, 'console.error("no table " + process.env.TOKEN); process.exit(3)');
}

/** Apps whose first release answers `one`, and what a test asks of the next one. */
export interface YoungReleases {
  platform: Platform;
  /** Makes the app. @returns what commits its next release */
  prepare(app: string): Promise<(files: Files) => Promise<unknown>>;
  /** Deploys, which succeeds. @returns the deploy's id */
  deployed(app: string): Promise<string>;
  /** The app with a release that serves, and the next one live. */
  goLive(app: string, next: Files): Promise<{ first: string; second: string }>;
  deployOf(id: string): Promise<ShownDeploy>;
  takenBack(id: string, deadlineMs?: number): Promise<TakenBack>;
  appOf(name: string): Promise<{ name: string; status: string; current_release: string }>;
  /** Asks for the app all the time, until it is ended. @returns the different answers, in their order */
  visit(app: string): () => Promise<string[]>;
  stop(): Promise<void>;
}

export async function startYoungReleases(): Promise<YoungReleases> {
  const setup = await startPlatformWithGit();
  const { platform } = setup;

  const prepare: YoungReleases["prepare"] = async (app) => {
    const repository = await setup.createApp(app, nodeApp('return "one"'));
    await platform.api("PUT", `/api/apps/${app}/env`, { env: { TOKEN: SECRET } });
    return (files) => repository.commit(files);
  };

  async function deployed(app: string): Promise<string> {
    const { deploy } = await platform.deploy(app);
    if (deploy.status !== "success") throw new Error(`the deploy of ${app} is ${deploy.status}: ${deploy.error}`);
    return deploy.id;
  }

  const deployOf = async (id: string): Promise<ShownDeploy> =>
    ((await platform.api("GET", `/api/deploys/${id}`)).body as { deploy: ShownDeploy }).deploy;

  return {
    platform,
    prepare,
    deployed,
    async goLive(app, next) {
      const commit = await prepare(app);
      const first = await deployed(app);
      await commit(next);
      return { first, second: await deployed(app) };
    },
    deployOf,
    async takenBack(id, deadlineMs = 60_000) {
      const read = async (): Promise<TakenBack | undefined> => (await deployOf(id)).taken_back;
      const isThere = (taken: TakenBack | undefined): boolean => taken !== undefined;
      return (await eventually(read, isThere, { what: "the deploy is taken back", deadlineMs }))!;
    },
    async appOf(name) {
      const { apps } = (await platform.api("GET", "/api/apps")).body as {
        apps: { name: string; status: string; current_release: string }[];
      };
      return apps.find((app) => app.name === name)!;
    },
    visit(app) {
      const seen: string[] = [];
      const over = new AbortController();
      const visiting = (async () => {
        while (!over.signal.aborted) {
          const answer = await platform.fetchApp(app).then(
            ({ status, body }) => `${status} ${body.slice(0, 20)}`,
            () => "no answer",
          );
          if (seen.at(-1) !== answer) seen.push(answer);
          await delay(VISIT_MS, undefined, { signal: over.signal }).catch(() => undefined);
        }
      })();
      return async () => {
        over.abort();
        await visiting;
        return seen;
      };
    },
    stop: () => setup.stop(),
  };
}

/** The state of the deploy's container; empty when there is none. */
export async function containerStateOf(deployId: string): Promise<string> {
  const which = ["--filter", `label=svc.deploy=${deployId}`, "--format", "{{.State}}"];
  return (await run("docker", ["ps", "--all", ...which])).stdout.trim();
}

export async function containerIdOf(deployId: string): Promise<string> {
  const which = ["--filter", `label=svc.deploy=${deployId}`, "--quiet"];
  return (await run("docker", ["ps", "--all", ...which])).stdout.trim();
}

/** How often the engine has started it again by itself. */
export async function restartsOf(deployId: string): Promise<number> {
  const { stdout } = await run("docker", ["inspect", "--format", "{{.RestartCount}}", await containerIdOf(deployId)]);
  return Number(stdout);
}
