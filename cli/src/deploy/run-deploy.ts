import { randomUUID } from "node:crypto";
import { newestDeploy, readDeploy, readWaiting } from "../api/apps.ts";
import { answerOf, done, type App, type Deploy, type Service, type WaitingDeploy } from "../api/client.ts";
import { CliError, EXIT, failed, type ExitStatus } from "../output/cli-error.ts";
import type { Terminal } from "../output/terminal.ts";
import { followDeploy } from "./follow-deploy.ts";
import { LOOK_MS, lookOn } from "./look-on.ts";
import type { DoneStatus, ProgressView } from "./progress.ts";
import { waitInQueue } from "./wait-in-queue.ts";
import { watchInterrupt } from "./watch-interrupt.ts";

export interface DeployRequest {
  app: App;
  ref: string | undefined;
  release: string | undefined;
  /** Do not wait for its end. */
  detach: boolean;
  /** Look at the app for a moment after it went live. */
  watch: boolean;
  /** The push just now to an app that deploys every push: the service may have begun already. */
  pushed?: Push | undefined;
}

export interface Push {
  sha: string;
  /** The newest deploy before the push. */
  newestBefore: string | undefined;
}

export interface DeployParts {
  service: Service;
  terminal: Terminal;
  view: ProgressView;
}

/** Starts a deploy and, unless told otherwise, follows it to its end. @throws CliError */
export async function runDeploy(parts: DeployParts, request: DeployRequest): Promise<ExitStatus> {
  const { service, view } = parts;
  const { app, detach, pushed } = request;
  view.show({ type: "doing", what: `Starting a deploy of ${app.name}` });
  const newestBefore = pushed ? pushed.newestBefore : (await newestDeploy(service, app.name))?.id;
  const started = await startDeploy(parts, request);
  const showWait = started.deploy_id === undefined ? await showQueued(parts, app) : () => undefined;
  if (detach) {
    if (started.deploy_id !== undefined) await showDeploy(parts, started.deploy_id);
    showDone(view, started.status, app, started.deploy_id ?? null);
    return EXIT.success;
  }
  // A deploy that ran before the push may have fetched it all the same.
  const isTheOne = ({ id, commit_sha: sha }: Deploy): boolean =>
    id !== newestBefore || (sha !== null && sha === pushed?.sha);
  return untilEnd(parts, request, started.deploy_id, { isTheOne, showWait });
}

/** Says what the deploy waits for. @returns says it again when that changes */
async function showQueued({ service, view }: DeployParts, { name: app }: App): Promise<(now: WaitingDeploy) => void> {
  const first = await readWaiting(service, app);
  let shown = first?.detail;
  view.show({ type: "queued", app, ...(first && { waits_for: first.waits_for, detail: first.detail }) });
  return ({ waits_for, detail }) => {
    // What begins at once is shown when it has begun.
    if (detail === shown || waits_for === "next") return;
    shown = detail;
    view.show({ type: "queued", app, waits_for, detail });
  };
}

interface InQueue {
  isTheOne(deploy: Deploy): boolean;
  showWait(waiting: WaitingDeploy): void;
}

type Started = { status: "running" | "queued"; deploy_id?: string };

async function startDeploy({ service, view }: DeployParts, request: DeployRequest): Promise<Started> {
  const { app, ref, release, pushed } = request;
  const asked = service.rest.POST("/api/apps/{name}/deploy", {
    // The same request, sent again after the connection broke, starts nothing twice.
    params: { path: { name: app.name }, header: { "Idempotency-Key": randomUUID() } },
    body: { ...(ref !== undefined && { ref }), ...(release !== undefined && { release }) },
  });
  try {
    return await answerOf(service, asked);
  } catch (error) {
    if (!pushed || !(error instanceof CliError) || error.code !== "deploy_in_progress") throw error;
    const line = "The app deploys every push: the deploy of this one is followed";
    const unnamed = release === undefined ? "." : `, which is not named ${release}.`;
    view.show({ type: "log", step: null, line: line + unnamed });
    const newest = await newestDeploy(service, app.name);
    const isRunning = newest?.id !== pushed.newestBefore;
    return newest && isRunning ? { status: "running", deploy_id: newest.id } : { status: "queued" };
  }
}

async function untilEnd(
  parts: DeployParts,
  { app, watch }: DeployRequest,
  startedId: string | undefined,
  { isTheOne, showWait }: InQueue,
): Promise<ExitStatus> {
  const { service, terminal, view } = parts;
  const leaving = new AbortController();
  let deployId = startedId;
  const canCancel = (): boolean => deployId !== undefined;
  const unwatch = watchInterrupt({ terminal, view, canCancel }, (choice) => {
    if (choice === "leave" || deployId === undefined) return leaving.abort();
    const cancel = service.rest.POST("/api/deploys/{id}/cancel", { params: { path: { id: deployId } } });
    // A deploy that has ended meanwhile can't be canceled any more; its end is shown all the same.
    done(service, cancel).catch((error: Error) => view.show({ type: "log", step: null, line: error.message }));
  });
  try {
    deployId ??= await waitInQueue(service, app.name, isTheOne, leaving.signal, showWait);
    if (deployId === undefined) {
      showDone(view, "canceled", app, null);
      return EXIT.failed;
    }
    await showDeploy(parts, deployId);
    await followDeploy(service, deployId, view, leaving.signal);
    return await showEnd(parts, app, deployId, { watch, signal: leaving.signal });
  } catch (error) {
    if (!leaving.signal.aborted) throw error;
    showDone(view, deployId === undefined ? "queued" : "running", app, deployId ?? null);
    return EXIT.interrupted;
  } finally {
    unwatch();
  }
}

async function showDeploy(parts: DeployParts, id: string): Promise<void> {
  const { ref, release, status } = await readDeploy(parts.service, id);
  parts.view.show({ type: "deploy", deploy_id: id, ref, release, status });
}

async function showEnd(
  parts: DeployParts,
  app: App,
  id: string,
  { watch, signal }: { watch: boolean; signal: AbortSignal },
): Promise<ExitStatus> {
  const deploy = await readDeploy(parts.service, id);
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
  if (deploy.status === "success" && watch) {
    parts.view.show({ type: "watch", ms: LOOK_MS });
    const { takenBack, lastLines } = (await lookOn(parts.service, app, deploy, signal)) ?? {};
    if (takenBack) return showTakenBack(parts.view, app, deploy, takenBack);
    if (lastLines) return showEnded(parts.view, app, deploy, lastLines);
  }
  showDone(parts.view, deploy.status, app, id, deploy);
  return deploy.status === "success" ? EXIT.success : EXIT.failed;
}

function showTakenBack(
  view: ProgressView,
  app: App,
  deploy: Deploy,
  takenBack: NonNullable<Deploy["taken_back"]>,
): ExitStatus {
  const { detail, last_lines: lines, release, ...fields } = takenBack;
  const error = { code: "taken_back", message: detail + lastLog(lines), exit: EXIT.failed };
  view.show({ type: "error", ...error, fields: { ...fields, last_lines: lines, release } });
  showDone(view, "taken_back", app, deploy.id, { release, commit_sha: null });
  return EXIT.failed;
}

/** It serves whenever it runs, so that its release stays live. */
function showEnded(view: ProgressView, app: App, deploy: Deploy, lines: readonly string[]): ExitStatus {
  const message = `The app ended soon after it went live, and is started again.${lastLog(lines)}`;
  view.show({ type: "error", code: "app_ended", message, exit: EXIT.failed, fields: { last_lines: lines } });
  showDone(view, "unhealthy", app, deploy.id, deploy);
  return EXIT.failed;
}

function lastLog(lines: readonly string[]): string {
  return lines.length === 0 ? " It wrote no log." : `\nIts last log lines:\n${lines.join("\n")}`;
}

function showDone(
  view: ProgressView,
  status: DoneStatus,
  app: App,
  deployId: string | null,
  deploy?: Pick<Deploy, "release" | "commit_sha">,
): void {
  const { release = null, commit_sha = null } = deploy ?? {};
  view.show({ type: "done", status, url: app.url, deploy_id: deployId, release, commit_sha });
}
