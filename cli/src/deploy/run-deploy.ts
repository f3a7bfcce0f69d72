import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { answerOf, done, type App, type Deploy, type Service } from "../api/client.ts";
import { CliError, EXIT, failed, type ExitStatus } from "../cli-error.ts";
import type { Terminal } from "../terminal.ts";
import { followDeploy } from "./follow-deploy.ts";
import type { DoneStatus, ProgressView } from "./progress.ts";
import { watchInterrupt } from "./watch-interrupt.ts";

export interface DeployRequest {
  app: App;
  ref: string | undefined;
  release: string | undefined;
  /** Do not wait for its end. */
  detach: boolean;
}

export interface DeployParts {
  service: Service;
  terminal: Terminal;
  view: ProgressView;
}

/** How often a queued deploy is looked for; it has no id before it runs. */
const QUEUE_POLL_MS = 2_000;

/** Starts a deploy and, unless told otherwise, follows it to its end. @throws CliError */
export async function runDeploy(parts: DeployParts, request: DeployRequest): Promise<ExitStatus> {
  const { service, view } = parts;
  const { app, ref, release, detach } = request;
  const known = new Set((await listDeploys(service, app.name, 1)).map(({ id }) => id));
  const started = await answerOf(
    service,
    service.rest.POST("/api/apps/{name}/deploy", {
      // The same request, sent again after the connection broke, starts nothing twice.
      params: { path: { name: app.name }, header: { "Idempotency-Key": randomUUID() } },
      body: { ...(ref !== undefined && { ref }), ...(release !== undefined && { release }) },
    }),
  );
  if (started.deploy_id === undefined) view.show({ type: "queued", app: app.name });
  if (detach) {
    if (started.deploy_id !== undefined) await showDeploy(parts, started.deploy_id);
    showDone(view, started.status, app, started.deploy_id ?? null);
    return EXIT.success;
  }
  return untilEnd(parts, app, started.deploy_id, known);
}

async function untilEnd(
  parts: DeployParts,
  app: App,
  startedId: string | undefined,
  known: ReadonlySet<string>,
): Promise<ExitStatus> {
  const { service, terminal, view } = parts;
  const leaving = new AbortController();
  let deployId = startedId;
  const unwatch = watchInterrupt(terminal, view, (choice) => {
    if (choice === "leave" || deployId === undefined) return leaving.abort();
    const cancel = service.rest.POST("/api/deploys/{id}/cancel", { params: { path: { id: deployId } } });
    // What has ended meanwhile can't be canceled any more, and its end is shown all the same.
    done(service, cancel).catch((error: Error) => view.show({ type: "log", step: null, line: error.message }));
  });
  try {
    deployId ??= await waitInQueue(service, app.name, known, leaving.signal);
    await showDeploy(parts, deployId);
    await followDeploy(service, deployId, view, leaving.signal);
    return await showEnd(parts, app, deployId);
  } catch (error) {
    if (!leaving.signal.aborted) throw error;
    showDone(view, deployId === undefined ? "queued" : "running", app, deployId ?? null);
    return EXIT.interrupted;
  } finally {
    unwatch();
  }
}

/** The app has one open deploy at most, so the next one that its list shows is the one that waits. */
async function waitInQueue(
  service: Service,
  app: string,
  known: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<string> {
  for (;;) {
    const [newest] = await listDeploys(service, app, 1);
    if (newest && !known.has(newest.id)) return newest.id;
    await delay(QUEUE_POLL_MS, undefined, { signal });
  }
}

async function listDeploys(service: Service, name: string, limit: number): Promise<Deploy[]> {
  const params = { path: { name }, query: { limit } };
  return (await answerOf(service, service.rest.GET("/api/apps/{name}/deploys", { params }))).deploys;
}

async function readDeploy({ service }: DeployParts, id: string): Promise<Deploy> {
  const read = service.rest.GET("/api/deploys/{id}", { params: { path: { id } } });
  return (await answerOf(service, read)).deploy;
}

async function showDeploy(parts: DeployParts, id: string): Promise<void> {
  const { ref, release, status } = await readDeploy(parts, id);
  parts.view.show({ type: "deploy", deploy_id: id, ref, release, status });
}

async function showEnd(parts: DeployParts, app: App, id: string): Promise<ExitStatus> {
  const deploy = await readDeploy(parts, id);
  if (deploy.status === "running" || deploy.status === "pending") {
    throw failed(
      "unexpected_answer",
      `The events of the deploy ended, and it says ${deploy.status}: see \`svc status\`.`,
    );
  }
  if (deploy.status === "failed") {
    const message = deploy.error ?? "The deploy failed.";
    parts.view.show({ type: "error", code: "deploy_failed", message, exit: EXIT.failed });
  }
  showDone(parts.view, deploy.status, app, id, deploy);
  return deploy.status === "success" ? EXIT.success : EXIT.failed;
}

function showDone(view: ProgressView, status: DoneStatus, app: App, deployId: string | null, deploy?: Deploy): void {
  const { release = null, commit_sha = null } = deploy ?? {};
  view.show({ type: "done", status, url: app.url, deploy_id: deployId, release, commit_sha });
}

/** The app of that name; undefined when the user has none. */
export async function findApp(service: Service, name: string): Promise<App | undefined> {
  const { apps } = await answerOf(service, service.rest.GET("/api/apps"));
  return apps.find((app) => app.name === name);
}

/** @throws CliError not_found */
export async function requireApp(service: Service, name: string): Promise<App> {
  const app = await findApp(service, name);
  if (app) return app;
  throw new CliError(
    "not_found",
    `You have no app ${name}: \`svc up\` creates it, \`svc apps\` lists yours.`,
    EXIT.failed,
  );
}
