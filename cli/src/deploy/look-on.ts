import { setTimeout as delay } from "node:timers/promises";
import { APP_ENDED, PLATFORM_MARK } from "@svc/shared/rules/platform-line.ts";
import { readDeploy } from "../api/apps.ts";
import { answerOf, type App, type Deploy, type Service } from "../api/client.ts";
import { CliError } from "../output/cli-error.ts";

/** Most apps that can't live end within that; the service goes on looking for longer. */
export const LOOK_MS = 5_000;
const POLL_MS = 500;

/** A busy host takes some seconds from an app's end to the release before it. */
const VERDICT_MS = 10_000;
/** So many deploys are searched for one that served before. */
const DEPLOYS_SEARCHED = 20;

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
  const takenBack = await untilTakenBack(service, deploy.id, LOOK_MS, signal);
  if (takenBack) return { takenBack };
  const lastLines = signal.aborted ? undefined : await ifAsked(readEnd(service, app.name, deploy.finished_at ?? ""));
  if (!lastLines) return undefined;
  const hasFormer = await ifAsked(hasFormerRelease(service, app.name, deploy.id));
  const late = hasFormer ? await untilTakenBack(service, deploy.id, VERDICT_MS, signal) : undefined;
  return late ? { takenBack: late } : { lastLines };
}

async function untilTakenBack(
  service: Service,
  id: string,
  ms: number,
  signal: AbortSignal,
): Promise<Deploy["taken_back"] | undefined> {
  const deadline = performance.now() + ms;
  while (!signal.aborted && performance.now() < deadline) {
    await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
    const deploy = await ifAsked(readDeploy(service, id));
    if (deploy?.taken_back) return deploy.taken_back;
  }
  return undefined;
}

/** Without one there is nothing that the service could go back to. */
async function hasFormerRelease(service: Service, name: string, id: string): Promise<boolean> {
  const params = { path: { name }, query: { limit: DEPLOYS_SEARCHED } };
  const { deploys } = await answerOf(service, service.rest.GET("/api/apps/{name}/deploys", { params }));
  return deploys.some((other) => other.id !== id && other.status === "success");
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
