import { setTimeout as delay } from "node:timers/promises";
import { answerOf, type Service } from "../api/client.ts";
import { AWAY_MS_MAX } from "../api/patient-fetch.ts";
import { CliError, EXIT } from "../output/cli-error.ts";
import type { ProgressView } from "./progress.ts";

/** The specification's polling pattern. */
const POLL_MS = 5_000;

/**
 * Shows how the deploy's steps go on, until it has ended.
 * @throws CliError unreachable after two minutes without the service
 */
export async function pollDeploy(
  service: Service,
  deployId: string,
  view: ProgressView,
  signal: AbortSignal,
): Promise<void> {
  const shown = new Map<string, string>();
  let heardAt = Date.now();
  for (;;) {
    try {
      const asked = service.rest.GET("/api/deploys/{id}", { params: { path: { id: deployId } } });
      const { deploy, steps } = await answerOf(service, asked);
      heardAt = Date.now();
      for (const { step_name: step, status, error } of steps) {
        if (status === "pending" || shown.get(step) === status) continue;
        shown.set(step, status);
        view.show({ type: "step", step, status, ...(typeof error === "string" && { error }) });
      }
      if (deploy.status !== "running" && deploy.status !== "pending") return;
    } catch (error) {
      const isAway = error instanceof CliError && error.exit === EXIT.unreachable;
      if (!isAway || Date.now() - heardAt > AWAY_MS_MAX) throw error;
    }
    await delay(POLL_MS, undefined, { signal });
  }
}
