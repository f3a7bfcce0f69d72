import { answerOf, type Service } from "../api/client.ts";
import { askUntil } from "./ask-until.ts";
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
