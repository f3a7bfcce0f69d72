import { newestDeploy, requireApp } from "../api/apps.ts";
import type { Deploy, Service } from "../api/client.ts";
import { askUntil } from "./ask-until.ts";

/** How often a queued deploy is looked for; it has no id before it runs. */
const QUEUE_POLL_MS = 2_000;

/**
 * Waits until a deploy of the app has started that is the one: it has one open deploy at most, so the next one that its
 * list shows is the one that waits.
 * @returns its id; undefined when the app was stopped, which cancels a deploy in the queue
 * @throws CliError unreachable after two minutes without the service
 */
export async function waitInQueue(
  service: Service,
  app: string,
  isTheOne: (deploy: Deploy) => boolean,
  signal: AbortSignal,
): Promise<string | undefined> {
  const look = async (): Promise<{ id: string | undefined } | undefined> => {
    // Asks in this order: what ran before the app was stopped is in the list by then.
    const { status } = await requireApp(service, app);
    const newest = await newestDeploy(service, app);
    if (newest && isTheOne(newest)) return { id: newest.id };
    return status === "soft_stopped" ? { id: undefined } : undefined;
  };
  return (await askUntil(QUEUE_POLL_MS, look, signal)).id;
}
