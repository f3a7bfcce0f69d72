import type { Clock } from "@svc/shared/platform/clock.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { repeatUntilDone } from "@svc/shared/platform/repeat.ts";
import { GRACE_SECONDS } from "@svc/shared/rules/stop-grace.ts";
import { drain } from "../edge/drain.ts";
import type { AppRef, ContainerState, Engine, Proxy } from "../ports.ts";

/** A control plane that comes back takes its deploy's lock within this time, and its container is no stray. */
const SWEEP_AFTER_SECONDS = 60;
/** The pause until the engine or the proxy, which may start with the host, is asked again. */
const RETRY_MS = 30_000;

export interface RetirerOptions {
  engine: Engine;
  proxy: Proxy;
  clock: Clock;
  log: Logger;
  /**
   * Whether the deploy holds a lock. Once it has a container of its own, all of its app's are left alone: until the switch is
   * proven, the routes may go back to one that no route points to now.
   */
  isBusy: (deployId: string) => boolean;
  /** Whether the container stays although no route leads to it. */
  isKept?: (containerId: string) => boolean;
  /** How long open requests of a replaced container may take. */
  drainSeconds?: number;
}

/** A container that was kept ready after a deploy had taken its place. */
export interface Replaced {
  containerId: string;
  byDeployId: string;
}

export interface Retirement {
  /** The deploys whose images a rollback may need; those that were named last where it is left out. */
  keptDeployIds?: readonly string[];
  /** Goes also while a further deploy of the app runs: that one can only go back to what serves now. */
  replaced?: Replaced | undefined;
}

/** Removes what deploys have replaced. Neither method rejects: what fails is logged and tried again. */
export interface Retirer {
  /**
   * Runs after a deploy of the app has succeeded: drains, stops and removes its containers that no route points to,
   * then its images but those of the deploys that are kept (of none known, all stay), and those that a container uses.
   * Ends early, with the rest left to `sweep` and the next deploy, when the signal aborts; and when the app's next
   * retirement begins, which removes the rest, too.
   */
  retire(app: AppRef, signal: AbortSignal, retirement?: Retirement): Promise<void>;
  /**
   * Runs after the agent's start: removes the app containers that no route points to and that no running deploy owns,
   * such as those of a retirement that the agent did not finish. Containers of stopped apps have a route and stay.
   */
  sweep(signal: AbortSignal): Promise<void>;
}

export function createRetirer(options: RetirerOptions): Retirer {
  const { engine, proxy, clock, log, isBusy, drainSeconds = 10 } = options;
  const { isKept = () => false } = options;

  /** The images that are kept of an app: a retirement that takes long goes by what is known since. */
  const newestKept = new Map<string, readonly string[]>();
  /** App → its retirement that goes on. */
  const newest = new Map<string, symbol>();

  async function unrouted(appId?: string, replaced?: Replaced): Promise<ContainerState[]> {
    const containers = await engine.list(appId === undefined ? { role: "app" } : { appId, role: "app" });
    const routed = new Set((await proxy.routes()).map(({ containerId }) => containerId));
    const isOfBusy = ({ deployId }: ContainerState): boolean => deployId !== undefined && isBusy(deployId);
    const busyApps = new Set(containers.filter(isOfBusy).map((busy) => busy.appId));
    const isOver = (id: string): boolean => id === replaced?.containerId && !isBusy(replaced.byDeployId);
    return containers
      .filter(({ id }) => !routed.has(id) && !isKept(id))
      .filter((container) => !busyApps.has(container.appId) || isOver(container.id));
  }

  async function removeContainer(container: ContainerState, signal: AbortSignal, replaced?: Replaced): Promise<void> {
    if (container.state === "running") await drain(container, { proxy, clock, drainSeconds, signal });
    // A deploy may have been undone, or taken up again, meanwhile.
    const stillUnrouted = (await unrouted(container.appId, replaced)).some(({ id }) => id === container.id);
    if (!stillUnrouted) return;
    await engine.stop(container.id, GRACE_SECONDS.app);
    await engine.remove(container.id);
    log.info({ app: container.appName, deployId: container.deployId, container: container.id }, "removed a container");
  }

  async function removeImages(app: AppRef): Promise<void> {
    const kept = newestKept.get(app.id) ?? [];
    if (kept.length === 0) return;
    const containers = await engine.list({ appId: app.id });
    const inUse = new Set(containers.map(({ imageDigest }) => imageDigest));
    for (const { deployId, digest } of await engine.images(app.id)) {
      if (kept.includes(deployId) || inUse.has(digest) || isBusy(deployId)) continue;
      await engine.removeImages(app.id, deployId);
      log.info({ app: app.name, deployId }, "removed an image");
    }
  }

  async function retireOnce(app: AppRef, signal: AbortSignal, replaced?: Replaced): Promise<void> {
    for (const each of await unrouted(app.id, replaced)) await removeContainer(each, signal, replaced);
    signal.throwIfAborted();
    await removeImages(app);
  }

  async function sweepOnce(signal: AbortSignal): Promise<void> {
    if ((await unrouted()).length === 0) return;
    // Without any route either nothing was ever served, or the table was lost: every container looks like a stray then,
    // until the control plane has told the hosts of its app.
    if ((await proxy.routes()).length === 0) {
      log.warn("containers run although there is no route at all; they are left alone until the agent's next start");
      return;
    }
    await clock.sleep(SWEEP_AFTER_SECONDS * 1000, signal);
    for (const container of await unrouted()) await removeContainer(container, signal);
  }

  return {
    async retire(app, signal, { keptDeployIds, replaced } = {}) {
      if (keptDeployIds) newestKept.set(app.id, keptDeployIds);
      const own = Symbol();
      newest.set(app.id, own);
      const work = async (): Promise<void> => {
        if (newest.get(app.id) !== own) return;
        await retireOnce(app, signal, replaced);
        if (newest.get(app.id) === own) newest.delete(app.id);
      };
      const failing = `what a deploy of ${app.name} replaced is not removed yet; this is tried again`;
      await repeatUntilDone({ everyMs: RETRY_MS, work, failing, clock, log }, signal);
    },
    async sweep(signal) {
      const failing = "strays are not removed yet; this is tried again";
      await repeatUntilDone({ everyMs: RETRY_MS, work: () => sweepOnce(signal), failing, clock, log }, signal);
    },
  };
}
