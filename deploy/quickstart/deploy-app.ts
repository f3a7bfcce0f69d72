import { setTimeout as delay } from "node:timers/promises";
import { lastLines } from "../setup/run.mjs";
import { SetupError } from "../setup/terminal.mjs";
import type { Api, NewApp, Step } from "./api.ts";
import { done, say, step } from "./progress.ts";

const POLL_MS = 300;

/** Longer than the pipeline's own limits together (35 minutes), so that a deploy says itself why it has not ended. */
const DEPLOY_MS_MAX = 40 * 60_000;

/**
 * Registers the app when it is new, deploys it through the API and shows the four steps as they go.
 * @throws SetupError with the step's error and the end of its output when the deploy fails
 */
export async function deployApp(api: Api, app: NewApp): Promise<void> {
  const known = (await api.apps()).find(({ name }) => name === app.name);
  if (known === undefined) {
    step(`Creating the app ${app.name} (POST /api/apps)`);
    await api.createApp(app);
  } else if (known.git_repo !== app.repo_url) {
    throw new SetupError(
      `The app ${app.name} deploys from another repository.`,
      `It is ${known.git_repo}, the sample is ${app.repo_url}.`,
      "Run `npm run quickstart -- --reset` to start afresh.",
    );
  }
  step(`Deploying ${app.name} from ${app.repo_url} (POST /api/apps/${app.name}/deploy)`);
  await follow(api, await startDeploy(api, app.name));
}

/** The id of a deploy that began after this call; one that runs already is waited for first. */
async function startDeploy(api: Api, name: string): Promise<string> {
  const deadline = Date.now() + DEPLOY_MS_MAX;
  const [before] = await api.deploys(name);
  let answer = await api.deploy(name);
  while (answer === "in_progress") {
    await delay(POLL_MS);
    requireTime(deadline, name);
    answer = await api.deploy(name);
  }
  if (answer !== "queued") return answer;
  say("    queued: another deploy runs on the server, or no agent has joined yet");
  for (;;) {
    const [newest] = await api.deploys(name);
    if (newest !== undefined && newest.id !== before?.id) return newest.id;
    await delay(POLL_MS);
    requireTime(deadline, name);
  }
}

async function follow(api: Api, id: string): Promise<void> {
  const startedAt = Date.now();
  const shown = new Map<string, string>();
  for (;;) {
    const { deploy, steps } = await api.readDeploy(id);
    for (const current of steps) showChange(current, shown);
    if (deploy.status === "success") return done(`Deployed in ${seconds(Date.now() - startedAt)}`);
    if (deploy.status !== "running" && deploy.status !== "pending")
      throw deployFailed(deploy.error ?? deploy.status, steps);
    requireTime(startedAt + DEPLOY_MS_MAX, id);
    await delay(POLL_MS);
  }
}

function showChange(current: Step, shown: Map<string, string>): void {
  if (shown.get(current.step_name) === current.status || current.status === "pending") return;
  shown.set(current.step_name, current.status);
  say(`    ${current.step_order}/4 ${current.step_name.padEnd(16)} ${current.status}`);
}

function deployFailed(error: string, steps: readonly Step[]): SetupError {
  const failed = steps.find(({ status }) => status === "failed");
  const output = failed?.output ? `\n${lastLines(failed.output, 20)}` : "";
  return new SetupError(
    `The deploy has failed${failed === undefined ? "" : ` in ${failed.step_name}`}.`,
    `${failed?.error ?? error}${output}`,
    "Remove the cause and run the command again.",
  );
}

function requireTime(deadline: number, what: string): void {
  if (Date.now() < deadline) return;
  throw new SetupError(
    `The deploy of ${what} did not end within ${DEPLOY_MS_MAX / 60_000} minutes.`,
    "It is queued or running still.",
    "See `npm run admin -- server status` and the daemons' logs.",
  );
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
