import type { Clock } from "@svc/shared/platform/clock.ts";
import { Health, type Status } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { isId } from "@svc/shared/rules/ids.ts";
import { type Db, inTransaction } from "../platform/database/database.ts";
import { differingApps, lockDiffering, type ObservedApps } from "./observed-apps.store.ts";
import { noteAppStatus } from "../deploys/note-app-status.ts";
import { insertAudit } from "../platform/audit.store.ts";

/** The agent tells of a stop or a start before its call has answered, and before that answer is recorded. */
const ANSWER_MS_MAX = 3_000;

/** Keeps apps from being shown as running that are stopped, and the other way round, when a call's answer was lost. */
export class OwnerStopWatch {
  readonly #db: Db;
  readonly #serverId: string;
  readonly #clock: Clock;
  /** App → since when its agent says otherwise. Milliseconds. */
  #differingSince = new Map<string, number>();

  constructor(db: Db, serverId: string, clock: Clock) {
    this.#db = db;
    this.#serverId = serverId;
    this.#clock = clock;
  }

  /** Whether the same status may lead on if it is repeated. */
  get isWaiting(): boolean {
    return this.#differingSince.size > 0;
  }

  async take(status: Status): Promise<void> {
    const observed = observedApps(status);
    const now = this.#clock.now().getTime();
    const found = await findDiffering(this.#db, this.#serverId, observed);
    const since = new Map(found.map((id) => [id, this.#differingSince.get(id) ?? now]));
    const due = found.filter((id) => now - since.get(id)! >= ANSWER_MS_MAX);
    if (due.length > 0) await recordOwnerStops(this.#db, this.#serverId, observed, due);
    for (const id of due) since.delete(id);
    this.#differingSince = since;
  }
}

function observedApps({ apps, ownerStoppedAppIds }: Status): ObservedApps {
  const serving = apps.flatMap(({ app, health }) => (app && health === Health.SERVING ? [app.id] : []));
  return { stopped: new Set(ownerStoppedAppIds.filter(isId)), serving: new Set(serving.filter(isId)) };
}

async function findDiffering(db: Db, serverId: string, observed: ObservedApps): Promise<string[]> {
  if (observed.stopped.size + observed.serving.size === 0) return [];
  return (await differingApps(db, serverId, observed).execute()).map(({ id }) => id);
}

/**
 * Brings these of the server's apps to what its agent observes: a stop or a start may have been carried out although its
 * answer was lost, or ended half-way. The owner's own entry in the audit log comes with the answer, so this is another.
 */
async function recordOwnerStops(
  db: Db,
  serverId: string,
  observed: ObservedApps,
  ids: readonly string[],
): Promise<void> {
  await inTransaction(db, async (tx) => {
    for (const app of await lockDiffering(tx, serverId, observed, ids)) {
      const isStop = app.status === "running";
      await noteAppStatus(tx, app, isStop ? "stopped" : "running");
      await insertAudit(tx, {
        actor: "system",
        action: isStop ? "app.stop" : "app.start",
        target: `app:${app.id}`,
        requestId: null,
        ownerId: app.owner_id,
        detail: { name: app.name, reason: "observed" },
      });
    }
  });
}
