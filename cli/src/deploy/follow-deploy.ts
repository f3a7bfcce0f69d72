import { setTimeout as delay } from "node:timers/promises";
import { AWAY_MS_MAX, unreachable } from "../api/patient-fetch.ts";
import { answerOf, type Service } from "../api/client.ts";
import { readEvents } from "../api/event-stream.ts";
import { CliError, EXIT } from "../output/cli-error.ts";
import type { ProgressView, StepStatus } from "./progress.ts";
import { askUntil } from "./ask-until.ts";

/** A stream that ends too early is opened again after this; the service asks browsers for the same. */
const RECONNECT_MS = 1_000;

interface EventData {
  time?: string;
  step_name?: string;
  status?: string;
  error?: string;
  lines?: string[];
  dropped?: number;
}

/**
 * Shows the deploy's events as they happen, until the one that ends it. A connection that breaks is opened again, from
 * the last event that arrived. Where all streams are taken, the deploy is asked for its steps instead.
 * @throws CliError unreachable after two minutes without the service
 */
export async function followDeploy(
  service: Service,
  deployId: string,
  view: ProgressView,
  signal: AbortSignal,
): Promise<void> {
  let last = "0";
  let heardAt = Date.now();
  for (;;) {
    try {
      const response = await service.stream(`/api/deploys/${deployId}/events`, { "Last-Event-ID": last }, signal);
      heardAt = Date.now();
      if (response.status === 204 || !response.body) return;
      for await (const event of readEvents(response.body, signal)) {
        heardAt = Date.now();
        last = event.id || last;
        if (showEvent(view, event.event, JSON.parse(event.data) as EventData)) return;
      }
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof CliError && error.code === "too_many_streams") {
        const line = `The deploy goes on, and its steps are shown without their output. ${error.message}`;
        view.show({ type: "log", step: null, line });
        return pollDeploy(service, deployId, view, signal);
      }
      if (error instanceof CliError && error.exit !== EXIT.unreachable) throw error;
      if (Date.now() - heardAt > AWAY_MS_MAX) {
        throw error instanceof CliError ? error : unreachable(service.access.url, "the connection keeps breaking");
      }
    }
    await delay(RECONNECT_MS, undefined, { signal });
  }
}

/** @returns whether it is the last one */
function showEvent(view: ProgressView, kind: string, data: EventData): boolean {
  const { time, step_name: step, status, error } = data;
  if (kind === "deploy") return status !== "running" && status !== "pending";
  if (step === undefined) return false;
  if (kind === "step" && status !== undefined) {
    view.show({ type: "step", step, status: status as StepStatus, ...(error !== undefined && { error }) }, time);
  }
  if (kind === "log") {
    const { lines = [], dropped = 0 } = data;
    if (dropped > 0 && lines.length === 0) view.show({ type: "log", step, line: "", dropped }, time);
    lines.forEach((line, i) => {
      view.show({ type: "log", step, line, ...(i === 0 && dropped > 0 && { dropped }) }, time);
    });
  }
  return false;
}

/** The specification's polling pattern. */
const POLL_MS = 5_000;

/**
 * Shows how the deploy's steps go on, until it has ended.
 * @throws CliError unreachable after two minutes without the service
 */
async function pollDeploy(service: Service, deployId: string, view: ProgressView, signal: AbortSignal): Promise<void> {
  const shown = new Map<string, string>();
  const hasEnded = async (): Promise<true | undefined> => {
    const asked = service.rest.GET("/api/deploys/{id}", { params: { path: { id: deployId } } });
    const { deploy, steps } = await answerOf(service, asked);
    for (const { step_name: step, status, error } of steps) {
      if (status === "pending" || shown.get(step) === status) continue;
      shown.set(step, status);
      view.show({ type: "step", step, status, ...(typeof error === "string" && { error }) });
    }
    return deploy.status === "running" || deploy.status === "pending" ? undefined : true;
  };
  await askUntil(POLL_MS, hasEnded, signal);
}
