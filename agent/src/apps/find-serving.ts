import { targetOf, type RouteTarget } from "../edge/routes.ts";
import type { AppRef, ContainerState, Engine, Route } from "../ports.ts";

/** The app's live release, as the control plane knows it. */
export interface LiveRelease {
  name: string;
  isStopped: boolean;
}

/** Where an app is served, in the place of routes that were lost with the data directory; undefined without a container. */
export async function findServing(
  engine: Engine,
  app: AppRef,
  { name, isStopped }: LiveRelease,
): Promise<(RouteTarget & Pick<Route, "appId" | "state">) | undefined> {
  const containers = await engine.list({ appId: app.id, role: "app" });
  const [newest] = containers.filter(({ release }) => release === name).toSorted((a, b) => startOf(b) - startOf(a));
  if (newest === undefined) return undefined;
  return { appId: app.id, ...targetOf(newest), state: isStopped ? "stopped" : "serving" };
}

function startOf({ startedAt }: ContainerState): number {
  return startedAt?.getTime() ?? 0;
}
