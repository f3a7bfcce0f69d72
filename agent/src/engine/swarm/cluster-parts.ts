import type { SvcError } from "@svc/shared/errors.ts";
import { repeat } from "@svc/shared/platform/repeat.ts";
import type { DockerContext } from "../context.ts";
import { translateEngineError } from "../errors.ts";
import type { ClusterRegistry } from "./cluster-registry.ts";
import { createGateway, type Gateway } from "./gateway.ts";
import { createGuard } from "./guard.ts";

/** Somebody may remove a part, and the engine may give the gateway another address when it starts again. */
const LOOK_MS = 5_000;

/** The agent's own parts of the cluster, but for its registry. */
export interface ClusterParts {
  gateway: Gateway;
  /** Resolves when apps are kept apart on each machine. @throws SvcError isolation_unavailable where that is required */
  ensureGuard(): Promise<void>;
  /** Keeps the gateway and the guard; resolves when the signal aborts. @param onFailure is told once when it can't, each time */
  keep(signal: AbortSignal, onFailure: (error: SvcError) => void): Promise<void>;
}

interface Options {
  registry: ClusterRegistry;
  isIsolationRequired: boolean;
}

export function createClusterParts(ctx: DockerContext, options: Options): ClusterParts {
  const gateway = createGateway(ctx);
  const guard = createGuard(ctx, options.registry);
  let isWarned = false;

  async function ensureGuard(): Promise<void> {
    try {
      await guard.ensure();
    } catch (err) {
      if (options.isIsolationRequired) throw err;
      if (!isWarned) ctx.log.error({ err }, "apps are not kept apart on each machine of the cluster");
      isWarned = true;
    }
  }

  return {
    gateway,
    ensureGuard,
    async keep(signal, onFailure) {
      let isTold = false;
      const work = async (): Promise<void> => {
        try {
          await gateway.ensure();
          await ensureGuard();
          isTold = false;
        } catch (error) {
          if (!isTold) onFailure(translateEngineError(error));
          isTold = true;
          throw error;
        }
      };
      await repeat({ everyMs: LOOK_MS, work, failing: "the parts of the cluster are not whole", log: ctx.log }, signal);
    },
  };
}
