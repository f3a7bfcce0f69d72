import { newestDeploy, readWaiting, requireApp } from "../api/apps.ts";
import type { Deploy, Service, WaitingDeploy } from "../api/client.ts";
import { askUntil } from "./ask-until.ts";

/** How often a queued deploy is looked for; it has no id before it runs. */
const QUEUE_POLL_MS = 2_000;

/**
 * Waits until a deploy of the app has started that is the one: it has one open deploy at most, so the next one that its
 * list shows is the one that waits.
 * @param onWait is called each time with what it waits for
 * @returns its id; undefined when the app was stopped, which cancels a deploy in the queue
 * @throws CliError unreachable after two minutes without the service
 */
export async function waitInQueue(
  service: Service,
  app: string,
  isTheOne: (deploy: Deploy) => boolean,
  signal: AbortSignal,
  onWait: (waiting: WaitingDeploy) => void = () => undefined,
): Promise<string | undefined> {
  const look = async (): Promise<{ id: string | undefined } | undefined> => {
    // Asks in this order: what ran before the app was stopped is in the list by then.
    const { status } = await requireApp(service, app);
    const newest = await newestDeploy(service, app);
    if (newest && isTheOne(newest)) return { id: newest.id };
    if (status === "soft_stopped") return { id: undefined };
    const waiting = await readWaiting(service, app);
    if (waiting) onWait(waiting);
    return undefined;
  };
  return (await askUntil(QUEUE_POLL_MS, look, signal)).id;
}
