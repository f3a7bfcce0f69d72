import { answerOf, type App, type Deploy, type DeployStep, openService, type WaitingDeploy } from "../api/client.ts";
import type { Invocation } from "../command-line/command.ts";
import { newestDeploy, readWaiting, requireApp } from "../api/apps.ts";
import { ago, timeSince } from "../output/ago.ts";
import { textTable } from "@svc/shared/platform/text-table.ts";
import { openApp } from "../project/which-app.ts";

/** How the app is, and how its last deploy went. */
export async function status(invocation: Invocation): Promise<void> {
  const { terminal } = invocation;
  const { name, service } = await openApp(invocation);
  const app = await requireApp(service, name);
  const newest = await newestDeploy(service, name);
  const read = newest && service.rest.GET("/api/deploys/{id}", { params: { path: { id: newest.id } } });
  const last = read && (await answerOf(service, read));
  const waiting = app.status === "deploying" ? await readWaiting(service, name) : undefined;
  const lines = [
    ...appLines(app, last === undefined && waiting === undefined),
    ...(waiting ? ["", waitingLine(waiting)] : []),
    ...(last ? ["", ...deployLines(last.deploy, last.steps)] : []),
  ];
  terminal.result(
    { app, deploy: last?.deploy ?? null, steps: last?.steps ?? [], waiting: waiting ?? null },
    lines.join("\n"),
  );
}

function appLines(app: App, isNew: boolean): string[] {
  const health = healthSentence(app);
  return [
    [
      `${app.name}: ${statusWord(app, isNew)}`,
      ...(app.current_release === null ? [] : [app.current_release]),
      ...(app.health.state === "healthy" ? ["healthy"] : []),
    ].join(", "),
    ...(health === undefined ? [] : [health]),
    ...copyLines(app),
    ...(app.stopped_by ? [app.stopped_by.detail] : []),
    app.url,
    ...(app.git_repo === null ? [] : [`from ${app.git_repo}`]),
  ];
}

function waitingLine({ release, since, detail }: WaitingDeploy): string {
  return `The deploy ${release} has waited for ${timeSince(since)}. ${detail}`;
}

/** Where the app's copies are, on a server that is a cluster. */
function copyLines({ health: { replicas } }: App): string[] {
  if (!replicas) return [];
  const places = replicas.copies.map(({ machine, serving }) => (serving ? machine : `${machine} (not serving)`));
  const database = replicas.database_machine === null ? "" : `; its database is on ${replicas.database_machine}`;
  return [`${replicas.copies.length} of ${replicas.wanted} copies: ${places.join(", ") || "none"}${database}`];
}

function deployLines(deploy: Deploy, steps: readonly DeployStep[]): string[] {
  const commit = deploy.commit_sha === null ? "" : `, ${deploy.commit_sha.slice(0, 7)}`;
  return [
    `Last deploy: ${deploy.release}${commit}, ${deploy.status}, ${ago(deploy.created_at)} (${deploy.id})`,
    ...(deploy.error === undefined ? [] : [deploy.error]),
    ...(deploy.taken_back ? [deploy.taken_back.detail] : []),
    ...steps.map(({ step_name: step, status }) => `  ${step.padEnd(18)} ${status}`),
  ];
}

/** The service calls an app `deploying` from its creation on. */
function statusWord({ status }: App, isNew: boolean): string {
  return isNew && status === "deploying" ? "never deployed" : status.replace("_", " ");
}

/** The user's apps. */
export async function apps(invocation: Invocation): Promise<void> {
  const service = await openService(invocation);
  const { apps } = await answerOf(service, service.rest.GET("/api/apps"));
  const rows = await Promise.all(
    apps.map(async (app) => {
      const isNew = app.status === "deploying" && (await newestDeploy(service, app.name)) === undefined;
      return [app.name, statusWord(app, isNew), healthWord(app), app.current_release ?? "-", app.url];
    }),
  );
  const text =
    apps.length === 0
      ? "You have no apps: `svc up` creates one."
      : textTable([["NAME", "STATUS", "HEALTH", "RELEASE", "URL"], ...rows]);
  invocation.terminal.result(apps, text);
}

/** Lists the releases that the app can go back to, and those that are gone. */
export async function releases(invocation: Invocation): Promise<void> {
  const { name, service } = await openApp(invocation);
  const app = await requireApp(service, name);
  const params = { path: { name }, query: { limit: 100 } };
  const { deploys } = await answerOf(service, service.rest.GET("/api/apps/{name}/deploys", { params }));
  const successful = deploys.filter(({ status }) => status === "success");
  const rows = successful.map(({ release, commit_sha, finished_at }) => [
    release === app.current_release ? `${release} *` : release,
    commit_sha?.slice(0, 7) ?? "-",
    finished_at === null ? "-" : ago(finished_at),
  ]);
  const value = successful.map(({ id, release, commit_sha, finished_at }) => {
    return { release, commit_sha, finished_at, deploy_id: id, current: release === app.current_release };
  });
  const text =
    rows.length === 0 ? `${name} has no releases yet.` : textTable([["RELEASE", "COMMIT", "DEPLOYED"], ...rows]);
  invocation.terminal.result(value, text);
}

type Reason = NonNullable<App["health"]["reason"]>;

const REASONS: Readonly<Record<Reason, string>> = {
  crash_loop: "it ends again and again",
  out_of_memory: "it reached its memory limit and ended",
  not_listening: "nothing accepts connections on its port",
  gone: "its container was removed or stopped outside of the platform",
  server_away: "its server has not been heard of",
};

const ADVICE: Readonly<Record<Reason, string>> = {
  crash_loop: "`svc logs` shows its last words.",
  out_of_memory:
    "Ask for more memory in the spec file (resources.memory) when your tier allows more, or make it use less; " +
    "`svc logs` shows its last words.",
  not_listening: "`svc logs` shows what it does; it has to listen on the port in PORT, on all addresses.",
  gone: "Restart it, or deploy it again.",
  server_away: "Its health is unknown until the server is back.",
};

/**
 * Writes health for a table's cell: `healthy`, `unhealthy (crash loop)`, or `-` of an app of which nothing is to be
 * said.
 */
function healthWord({ health: { state, reason } }: App): string {
  if (reason === null) return state === "unknown" ? "-" : state;
  return `${state} (${reason.replaceAll("_", " ")})`;
}

/** Is undefined of an app that is healthy, or of which nothing is to be said. */
function healthSentence({ health: { state, reason, since } }: App): string | undefined {
  if (reason === null) return undefined;
  const from = since === null ? "" : ` for ${timeSince(since)}`;
  return `${state === "unhealthy" ? "Unhealthy" : "Health unknown"}${from}: ${REASONS[reason]}. ${ADVICE[reason]}`;
}
