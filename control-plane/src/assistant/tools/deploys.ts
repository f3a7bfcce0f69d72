import { setTimeout as delay } from "node:timers/promises";
import { z } from "@hono/zod-openapi";
import { isId } from "@svc/shared/rules/ids.ts";
import { asData, asWord } from "../as-data.ts";
import { answerOf, type Deploy, type DeployStep, type Service } from "../service.ts";
import { appName, changingTool, readingTool, shownText, type ToolContext } from "../tool.ts";

/** A client gives a call up after a minute or more. Seconds. */
const WAIT = { default: 45, max: 100 };
/** Each look is a request of the caller's. */
const LOOK_MS = 2_000;
const DEPLOYS_MAX = 20;
/** The search for a release goes back so far. Each page is a request of the caller's. */
const SEARCHED = { pages: 10, pageSize: 100 };
const NO_DEPLOY = "It was never deployed. Next: deploy.";

function noneFailed(deploys: number, release: string | undefined): string {
  if (deploys === 0) return NO_DEPLOY;
  if (release !== undefined) return `No failed deploy of ${release} is among the newest ${deploys}.`;
  return deploys === 1 ? "Its only deploy did not fail." : `None of the newest ${deploys} deploys failed.`;
}

const deployId = z.string().refine(isId, "it must be the id of a deploy").describe("Id of the deploy.");

export const deployTools = [
  readingTool({
    name: "list_deploys",
    title: "Deploys of an app",
    description: "The newest deploys of an app: id, status, release, ref, commit, times, reason of a failure.",
    operations: ["listDeploys"],
    input: z.strictObject({ app: appName }),
    async run({ service }, { app }) {
      const deploys = await newestDeploys(service, app);
      return deploys.length === 0 ? NO_DEPLOY : deploys.map(lineOf).join("\n");
    },
  }),
  readingTool({
    name: "read_deploy",
    title: "One deploy",
    description: "A deploy with its four steps and the end of its log.",
    operations: ["readDeploy"],
    input: z.strictObject({ deploy: deployId }),
    run: async ({ service }, { deploy }) => tellDeploy(await readDeploy(service, deploy)),
  }),
  readingTool({
    name: "explain_failure",
    title: "Why a deploy failed",
    description:
      "The newest failed deploy of an app, or of one of its releases: the step, the reason, the end of its log, and what was new in it.",
    operations: ["listDeploys", "readDeploy"],
    input: z.strictObject({
      app: appName,
      release: shownText.optional().describe("Name of a release; that of the newest failed deploy when left out."),
    }),
    async run({ service }, { app, release }) {
      const deploys =
        release === undefined ? await newestDeploys(service, app) : await deploysBackTo(service, app, release);
      const { failed, before } = failureIn(deploys, release);
      if (!failed) return noneFailed(deploys.length, release);
      const since = before
        ? `The deploy before that succeeded: commit ${before.commit_sha ?? "-"}, release ${asWord(before.release)}.`
        : "No deploy before it succeeded.";
      return [tellDeploy(await readDeploy(service, failed.id)), since].join("\n");
    },
  }),
  changingTool({
    name: "deploy",
    title: "Deploy and wait",
    description:
      "Deploys an app from its repository and waits for the end, a while. A deploy that goes on is read with read_deploy.",
    effect: "changes",
    operations: ["startDeploy", "readDeploy"],
    input: z.strictObject({
      app: appName,
      ref: shownText.optional().describe("Branch, tag or commit; the app's own when left out."),
      wait_seconds: z.int().min(0).max(WAIT.max).optional(),
    }),
    intent: ({ app, ref }) => ({
      sentence: `deploy ${app}${ref === undefined ? "" : ` from ${ref}`}`,
      request: { method: "POST", path: `/api/apps/${app}/deploy`, body: ref === undefined ? {} : { ref } },
    }),
    async run(context, { app: name, ref, wait_seconds: seconds = WAIT.default }) {
      const body = ref === undefined ? {} : { ref };
      const { deploy_id: id } = await answerOf(
        context.service.POST("/api/apps/{name}/deploy", { params: { path: { name } }, body }),
      );
      if (id === undefined) return "It waits for another deploy on its server, and runs by itself. Next: read_app.";
      if (seconds === 0) return `Deploy ${id} began. Its page: /apps/${name}/deploys/${id}. Next: read_deploy.`;
      return tellDeploy(await awaitEnd(context, id, seconds));
    },
  }),
  changingTool({
    name: "roll_back",
    title: "Roll back",
    description: "Serves an earlier release again, without a build; the one before the current when none is named.",
    effect: "changes",
    operations: ["rollBack"],
    input: z.strictObject({ app: appName, release: shownText.optional() }),
    intent: ({ app, release }) => ({
      sentence: `roll ${app} back to ${release ?? "the release before"}`,
      request: { method: "POST", path: `/api/apps/${app}/rollback`, body: release === undefined ? {} : { release } },
    }),
    async run({ service }, { app: name, release }) {
      const body = release === undefined ? {} : { release };
      await answerOf(service.POST("/api/apps/{name}/rollback", { params: { path: { name } }, body }));
      return `Rolled ${name} back. Next: read_app shows what serves.`;
    },
  }),
];

interface ToldDeploy {
  deploy: Deploy;
  steps: readonly DeployStep[];
}

async function newestDeploys(service: Service, name: string): Promise<Deploy[]> {
  const params = { path: { name }, query: { limit: DEPLOYS_MAX } };
  return (await answerOf(service.GET("/api/apps/{name}/deploys", { params }))).deploys;
}

/** The newest deploys, page after page, until one of the release has failed and what it came after is known. */
async function deploysBackTo(service: Service, name: string, release: string): Promise<Deploy[]> {
  const found: Deploy[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < SEARCHED.pages; page++) {
    const query = { limit: SEARCHED.pageSize, ...(cursor !== undefined && { cursor }) };
    const read = service.GET("/api/apps/{name}/deploys", { params: { path: { name }, query } });
    const { deploys, next_cursor: next } = await answerOf(read);
    found.push(...deploys);
    cursor = next;
    if (cursor === undefined || failureIn(found, release).before) break;
  }
  return found;
}

/** The newest deploy that failed, also by what was taken back, and the newest before it that succeeded. */
function failureIn(deploys: readonly Deploy[], release: string | undefined): { failed?: Deploy; before?: Deploy } {
  const isMeant = (deploy: Deploy) => release === undefined || deploy.release === release;
  const at = deploys.findIndex((deploy) => isMeant(deploy) && (deploy.status === "failed" || deploy.taken_back));
  const [failed, ...older] = at < 0 ? [] : deploys.slice(at);
  const before = older.find(({ status, taken_back: takenBack }) => status === "success" && !takenBack);
  return { ...(failed && { failed }), ...(before && { before }) };
}

function readDeploy(service: Service, id: string): Promise<ToldDeploy> {
  return answerOf(service.GET("/api/deploys/{id}", { params: { path: { id } } }));
}

/** Looks until the deploy has ended, or the time is up. */
async function awaitEnd({ service, signal }: ToolContext, id: string, seconds: number): Promise<ToldDeploy> {
  const until = performance.now() + seconds * 1000;
  let told = await readDeploy(service, id);
  while (isOpen(told.deploy) && performance.now() + LOOK_MS < until) {
    await delay(LOOK_MS, undefined, { signal });
    told = await readDeploy(service, id);
  }
  return told;
}

const isOpen = ({ status }: Deploy): boolean => status === "pending" || status === "running";

function lineOf({ id, status, release, ref, commit_sha: commit, created_at: at, error }: Deploy): string {
  const reason = error === undefined ? "" : `, reason: ${asWord(error)}`;
  return `${id}: ${status}, release ${asWord(release)}, ref ${asWord(ref)}, commit ${commit ?? "-"}, ${at}${reason}`;
}

function tellDeploy({ deploy, steps }: ToldDeploy): string {
  const told = [lineOf(deploy), `steps: ${steps.map((step) => `${step.step_name} ${step.status}`).join(", ")}`];
  const shown = steps.find(({ status }) => status === "failed") ?? steps.findLast(({ output }) => output !== "");
  if (shown?.error !== undefined) told.push(asData(`the reason of ${shown.step_name}`, shown.error));
  if (shown && shown.output !== "") told.push(asData(`the log of ${shown.step_name}`, shown.output));
  if (deploy.taken_back) told.push(`It was taken back: ${asWord(deploy.taken_back.detail, 500)}`);
  if (isOpen(deploy)) told.push("It goes on. Next: read_deploy.");
  if (deploy.status === "failed") told.push("It changed nothing that serves. Next: mend the cause, then deploy.");
  return told.join("\n");
}
