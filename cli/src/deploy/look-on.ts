import { setTimeout as delay } from "node:timers/promises";
import { APP_ENDED, PLATFORM_MARK } from "@svc/shared/rules/platform-line.ts";
import { answerOf, type App, type Deploy, type Service } from "../api/client.ts";
import { CliError } from "../output/cli-error.ts";

/** Most apps that can't live end within that; the service goes on looking for longer. */
export const LOOK_MS = 5_000;
const POLL_MS = 500;

const LAST_LINES = 20;

export interface Trouble {
  /** The former release serves again. */
  takenBack?: NonNullable<Deploy["taken_back"]>;
  /** The end of the log of an app that ended and is started again: there is no release to go back to. */
  lastLines?: readonly string[];
}

/**
 * Looks at a deploy that has just gone live, for a while.
 * @returns what went wrong; undefined when nothing did, or the signal has aborted
 */
export async function lookOn(
  service: Service,
  app: App,
  deploy: Deploy,
  signal: AbortSignal,
): Promise<Trouble | undefined> {
  const deadline = performance.now() + LOOK_MS;
  while (!signal.aborted && performance.now() < deadline) {
    await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
    const takenBack = await ifAsked(readTakenBack(service, deploy.id));
    if (takenBack) return { takenBack };
  }
  const lastLines = signal.aborted ? undefined : await ifAsked(readEnd(service, app.name, deploy.finished_at ?? ""));
  return lastLines && { lastLines };
}

async function readTakenBack(service: Service, id: string): Promise<Deploy["taken_back"] | undefined> {
  const read = service.rest.GET("/api/deploys/{id}", { params: { path: { id } } });
  return (await answerOf(service, read)).deploy.taken_back;
}

/** The end of the app's log, when it tells of an end since then. @param since ISO 8601, UTC */
async function readEnd(service: Service, name: string, since: string): Promise<readonly string[] | undefined> {
  const params = { path: { name }, query: { lines: LAST_LINES } };
  const { logs } = (await answerOf(service, service.rest.GET("/api/apps/{name}/logs", { params }))) as { logs: string };
  const lines = logs.split("\n").filter((line) => line !== "");
  return lines.some((line) => (timeOfEnd(line) ?? "") > since) ? lines : undefined;
}

/** Lines of the log begin with their time; the mark stands right behind it. */
function timeOfEnd(line: string): string | undefined {
  const time = line.split(" ", 1)[0]!;
  return line.startsWith(`${time} ${PLATFORM_MARK} ${APP_ENDED}`) ? time : undefined;
}

/** The deploy has succeeded whether or not the service can be asked. */
async function ifAsked<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}
