import { retry } from "@svc/shared/platform/until.ts";
import { stepBackstopMs, BUILD_SECONDS_MAX } from "@svc/shared/rules/step-limits.ts";
import { STEP_NAMES, type StepName } from "@svc/shared/rules/steps.ts";
import { findApp, newestDeploy } from "svc-cli/api/apps.ts";
import { answerOf, type DeployStep, type Service } from "svc-cli/api/client.ts";
import { followDeploy } from "svc-cli/deploy/follow-deploy.ts";
import type { ProgressView } from "svc-cli/deploy/progress.ts";
import { waitInQueue } from "svc-cli/deploy/wait-in-queue.ts";
import { CliError } from "svc-cli/output/cli-error.ts";
import { lastLines } from "../../setup/run.mjs";
import { SetupError } from "../../setup/terminal.mjs";
import { done, say, step } from "../progress.ts";

const RETRY_MS = 1_000;

/** Longer than the steps' own limits together, so that a deploy says itself why it has not ended. */
const DEPLOY_MS_MAX = STEP_NAMES.reduce((sum, name) => sum + stepBackstopMs(name, BUILD_SECONDS_MAX), 5 * 60_000);

export interface NewApp {
  name: string;
  repo_url: string;
  needs_database: boolean;
}

/**
 * Registers the app when it is new, deploys it through the API and shows the four steps as they go.
 * @throws SetupError with the step's error and the end of its output when the deploy fails
 */
export async function deployApp(service: Service, app: NewApp): Promise<void> {
  const known = await findApp(service, app.name);
  if (known === undefined) {
    step(`Creating the app ${app.name} (POST /api/apps)`);
    await answerOf(service, service.rest.POST("/api/apps", { body: app }));
  } else if (known.git_repo !== app.repo_url && isFormerAddress(known.git_repo, app.repo_url)) {
    const params = { path: { name: app.name } };
    await answerOf(service, service.rest.PATCH("/api/apps/{name}", { params, body: { repo_url: app.repo_url } }));
  } else if (known.git_repo !== app.repo_url) {
    throw new SetupError(
      `The app ${app.name} deploys from another repository.`,
      `It is ${known.git_repo}, the sample is ${app.repo_url}.`,
      "Run `npm run quickstart -- --reset` to start afresh.",
    );
  }
  step(`Deploying ${app.name} from ${app.repo_url} (POST /api/apps/${app.name}/deploy)`);
  const limit = AbortSignal.timeout(DEPLOY_MS_MAX);
  try {
    await follow(service, await startDeploy(service, app.name, limit), limit);
  } catch (error) {
    throw limit.aborted ? tooLate(app.name) : error;
  }
}

/** An installation from before the git server had an address of its own cloned the sample from `localhost`. */
function isFormerAddress(known: string | null | undefined, sample: string): boolean {
  const [former, present] = [URL.parse(known ?? ""), new URL(sample)];
  return former?.hostname === "localhost" && former.port === present.port && former.pathname === present.pathname;
}

/** The id of a deploy that began after this call; one that runs already is waited for first. */
async function startDeploy(service: Service, name: string, signal: AbortSignal): Promise<string> {
  const before = await newestDeploy(service, name);
  const start = () => {
    const params = { path: { name } };
    return answerOf(service, service.rest.POST("/api/apps/{name}/deploy", { params, body: {} }));
  };
  const mayPass = (error: unknown): boolean => error instanceof CliError && error.code === "deploy_in_progress";
  const started = await retry(start, { mayPass, pauseMs: RETRY_MS, signal });
  if (started.deploy_id !== undefined) return started.deploy_id;
  say("    queued: another deploy runs on the server, or no agent has joined yet");
  const id = await waitInQueue(service, name, (newest) => newest.id !== before?.id, signal);
  if (id !== undefined) return id;
  throw new SetupError(`The deploy of ${name} was canceled.`, "The app was stopped.", "Run the command again.");
}

async function follow(service: Service, id: string, signal: AbortSignal): Promise<void> {
  const startedAt = Date.now();
  await followDeploy(service, id, stepsView, signal);
  const read = service.rest.GET("/api/deploys/{id}", { params: { path: { id } } });
  const { deploy, steps } = await answerOf(service, read);
  if (deploy.status !== "success") throw deployFailed(deploy.error ?? deploy.status, steps);
  done(`Deployed in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
}

const stepsView: ProgressView = {
  show(event) {
    if (event.type !== "step" || event.status === "pending") return;
    const order = STEP_NAMES.indexOf(event.step as StepName) + 1;
    say(`    ${order}/${STEP_NAMES.length} ${event.step.padEnd(16)} ${event.status}`);
  },
  pause() {},
  resume() {},
  close() {},
};

function deployFailed(error: string, steps: readonly DeployStep[]): SetupError {
  const failed = steps.find(({ status }) => status === "failed");
  const output = failed?.output ? `\n${lastLines(failed.output, 20)}` : "";
  return new SetupError(
    `The deploy has failed${failed === undefined ? "" : ` in ${failed.step_name}`}.`,
    `${failed?.error ?? error}${output}`,
    "Remove the cause and run the command again.",
  );
}

function tooLate(name: string): SetupError {
  return new SetupError(
    `The deploy of ${name} did not end within ${DEPLOY_MS_MAX / 60_000} minutes.`,
    "It is queued or running still.",
    "See `npm run admin -- server status` and the daemons' logs.",
  );
}
