import type { Clock } from "@svc/shared/platform/clock.ts";
import { targetOf, upstreamsOf } from "../edge/routes.ts";
import type { ContainerState, Engine } from "../ports.ts";

/** It ran a moment ago; visitors wait in the proxy for as long. */
const READY_MS_MAX = 10_000;
const POLL_MS = 100;

interface Ports {
  engine: Pick<Engine, "list" | "start">;
  clock: Clock;
  accepts: (upstream: string) => Promise<boolean>;
}

/** The container once it accepts connections, started if it has to be; undefined when it is gone or does not. */
export async function makeReady(
  { engine, clock, accepts }: Ports,
  { appId, id }: { appId: string; id: string },
): Promise<ContainerState | undefined> {
  const find = async (): Promise<ContainerState | undefined> =>
    (await engine.list({ appId, role: "app" })).find((container) => container.id === id);
  const deadline = clock.now().getTime() + READY_MS_MAX;
  const found = await find();
  // The engine that restarted leaves it stopped: no route led to it.
  if (found && found.state !== "running") await engine.start(id);
  for (let now = found; now !== undefined; now = await find()) {
    if (now.state === "running" && (await Promise.all(upstreamsOf(targetOf(now)).map(accepts))).every(Boolean))
      return now;
    if (clock.now().getTime() >= deadline) return undefined;
    await clock.sleep(POLL_MS);
  }
  return undefined;
}
