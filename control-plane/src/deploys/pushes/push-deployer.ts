import type { Logger } from "@svc/shared/platform/logger.ts";
import { startRepeating } from "@svc/shared/platform/repeat.ts";
import { readPushedAppIds } from "./pushed-apps.store.ts";
import { removeStrays, removeUnused } from "../../repositories/sweep-repositories.ts";
import type { OperationContext } from "../../platform/operation.ts";
import { deployPushed } from "./deploy-pushed.ts";
import { noteMissedPushes } from "../../apps/pushes/note-push.ts";
import type { Notifications } from "../../ports.ts";

/** The slow look, for notifications that were lost. */
const POLL_MS = 5_000;
const SWEEP_MS = 10 * 60_000;
export type PushDeployerParts = Omit<OperationContext, "actor" | "requestId"> & {
  notifications: Notifications;
  log: Logger;
};

/** Deploys what was pushed, notices pushes that a crash hid, and removes folders that belong to none. */
export function startPushDeployer(parts: PushDeployerParts): { name: string; stop(): Promise<void> } {
  const { db, clock, notifications, log } = parts;
  let sweepAt = 0;

  async function deployAll(): Promise<void> {
    for (const id of await readPushedAppIds(db)) {
      await deployPushed(parts, id).catch((error: unknown) =>
        log.error({ err: error, app_id: id }, "a push was not deployed"),
      );
    }
  }

  async function sweep(): Promise<void> {
    const now = clock.now().getTime();
    if (now < sweepAt) return;
    sweepAt = now + SWEEP_MS;
    // A chore that fails keeps none of the others from its work.
    for (const chore of [noteMissedPushes, removeUnused, removeStrays]) {
      await chore(parts).catch((error: unknown) => log.warn({ err: error }, "repositories could not be looked after"));
    }
  }

  async function work(): Promise<void> {
    for (const part of [sweep, deployAll]) {
      await part().catch((error: unknown) => log.warn({ err: error }, "pushes could not be looked after"));
    }
  }

  // A push that came while a deploy ran is deployed as soon as that has ended, which wakes its queue.
  const wakeOn = (wake: () => void) => {
    const subscriptions = [notifications.subscribe("pushes", wake), notifications.subscribe("deploy_queue", wake)];
    return () => subscriptions.forEach((unsubscribe) => unsubscribe());
  };
  const failing = "pushes could not be looked after";
  return startRepeating("push deployer", { everyMs: POLL_MS, failing, work, wakeOn, clock, log });
}
