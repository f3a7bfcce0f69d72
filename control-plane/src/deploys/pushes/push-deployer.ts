import type { Logger } from "@svc/shared/platform/logger.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { startRepeating } from "@svc/shared/platform/repeat.ts";
import { readPushedAppIds } from "../../apps/pushes/pushes.store.ts";
import {
  deleteUnusedRepositories,
  hasRepository,
  readRepositoriesDeployedOnPush,
} from "../../repositories/repositories.store.ts";
import type { OperationContext } from "../../platform/operation.ts";
import { deployPushed } from "./deploy-pushed.ts";
import { notePush } from "../../apps/pushes/note-push.ts";
import type { Notifications } from "../../ports.ts";

/** How soon a push that came while a deploy ran is deployed after its end. */
const POLL_MS = 2_000;
const SWEEP_MS = 10 * 60_000;
/** A folder is made seconds before its row is committed. */
const STRAY_MS_MIN = 3_600_000;
/** Between making a repository and deploying from it lies a push. */
const UNUSED_MS_MIN = 24 * 3_600_000;

export type PushDeployerParts = Omit<OperationContext, "actor" | "requestId"> & {
  notifications: Notifications;
  log: Logger;
};

/** Deploys what was pushed, notices pushes that a crash hid, and removes folders that belong to none. */
export function startPushDeployer(parts: PushDeployerParts): { name: string; stop(): Promise<void> } {
  const { db, clock, hosting, notifications, log } = parts;
  let sweepAt = 0;

  async function deployAll(): Promise<void> {
    for (const id of await readPushedAppIds(db)) {
      await deployPushed(parts, id).catch((error: unknown) =>
        log.error({ err: error, app_id: id }, "a push was not deployed"),
      );
    }
  }

  async function notePushes(): Promise<void> {
    for (const repository of await readRepositoriesDeployedOnPush(db, `${hosting.baseUrl}/git/`)) {
      const actor = { userId: repository.owner_id, scopes: null, apps: null };
      await notePush({ ...parts, actor, requestId: newId() }, repository).catch((error: unknown) =>
        log.error({ err: error, repository_id: repository.id }, "a repository's pushes could not be looked up"),
      );
    }
  }

  async function removeUnused(): Promise<void> {
    await deleteUnusedRepositories(db, `${hosting.baseUrl}/git/`, new Date(clock.now().getTime() - UNUSED_MS_MIN));
  }

  async function removeStrays(): Promise<void> {
    for (const id of await hosting.folders.unchangedSince(new Date(clock.now().getTime() - STRAY_MS_MIN))) {
      if (await hasRepository(db, id)) continue;
      await hosting.folders.remove(id);
      log.info({ repository_id: id }, "a folder without a repository was removed");
    }
  }

  async function sweep(): Promise<void> {
    const now = clock.now().getTime();
    if (now < sweepAt) return;
    sweepAt = now + SWEEP_MS;
    // A chore that fails keeps none of the others from running.
    for (const chore of [notePushes, removeUnused, removeStrays]) {
      await chore().catch((error: unknown) => log.warn({ err: error }, "repositories could not be looked after"));
    }
  }

  async function work(): Promise<void> {
    for (const part of [sweep, deployAll]) {
      await part().catch((error: unknown) => log.warn({ err: error }, "pushes could not be looked after"));
    }
  }

  const wakeOn = (wake: () => void) => notifications.subscribe("pushes", wake);
  const failing = "pushes could not be looked after";
  return startRepeating("push deployer", { everyMs: POLL_MS, failing, work, wakeOn, clock, log });
}
