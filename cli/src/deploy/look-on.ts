import { setTimeout as delay } from "node:timers/promises";
import { answerOf, type Deploy, type Service } from "../api/client.ts";
import { CliError } from "../cli-error.ts";

/** Most apps that can't live end within that; the service goes on looking for longer. */
export const LOOK_MS = 5_000;
const POLL_MS = 500;

/**
 * Looks at a deploy that has just gone live, for a while.
 * @returns why it was taken back; undefined when it was not, or the signal has aborted
 */
export async function lookOn(
  service: Service,
  deployId: string,
  signal: AbortSignal,
): Promise<Deploy["taken_back"] | undefined> {
  const deadline = performance.now() + LOOK_MS;
  while (!signal.aborted && performance.now() < deadline) {
    await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
    const takenBack = await readTakenBack(service, deployId);
    if (takenBack) return takenBack;
  }
  return undefined;
}

/** The deploy has succeeded whether or not the service can be asked. */
async function readTakenBack(service: Service, id: string): Promise<Deploy["taken_back"] | undefined> {
  try {
    const read = service.rest.GET("/api/deploys/{id}", { params: { path: { id } } });
    return (await answerOf(service, read)).deploy.taken_back;
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}
