import { APP_STATUSES, STATUS_CHANGES, type StatusChange } from "@svc/control-plane/apps/app.ts";
import {
  writeDeployFailure,
  writeDeployStart,
  writeDeploySuccess,
  writeServerRemoval,
  writeSoftStop,
  writeStartOrStop,
} from "@svc/control-plane/apps/status/app-status.store.ts";
import type { Db } from "@svc/control-plane/platform/database/database.ts";
import { expect, test } from "vitest";
import { useAppWorld } from "../../support/api/app-world.ts";

const world = useAppWorld();

type Write = (db: Db, app: { appId: string; serverId: string }) => Promise<unknown>;

/** Every statement that writes a status, by the change that it names and the status that it writes. */
const statements: { change: StatusChange; to: string; write: Write }[] = [
  { change: "deployStarted", to: "deploying", write: (db, { appId }) => writeDeployStart(db, appId, null) },
  {
    change: "deploySucceeded",
    to: "running",
    write: (db, { appId }) => writeDeploySuccess(db, appId, { releaseId: null, isRollback: false }),
  },
  ...STATUS_CHANGES.deployFailed.to.map((to) => ({
    change: "deployFailed" as const,
    to,
    write: ((db, { appId }) => writeDeployFailure(db, appId, to)) satisfies Write,
  })),
  ...STATUS_CHANGES.startedOrStopped.to.map((to) => ({
    change: "startedOrStopped" as const,
    to,
    write: ((db, { appId }) => writeStartOrStop(db, appId, to)) satisfies Write,
  })),
  { change: "serverRemoved", to: "failed", write: (db, { serverId }) => writeServerRemoval(db, serverId) },
  { change: "deleted", to: "soft_stopped", write: (db, { appId }) => writeSoftStop(db, appId) },
];

test("a statement for each status that a change may lead to", () => {
  const table = Object.entries(STATUS_CHANGES).flatMap(([change, { to }]) => to.map((status) => `${change} ${status}`));
  expect(statements.map(({ change, to }) => `${change} ${to}`).sort()).toEqual(table.sort());
});

test("no statement writes a status where the table of changes does not have it", async () => {
  const { appId } = await world.live();
  const { db } = world.http.database;
  const { serverId } = world;
  for (const { change, to, write } of statements) {
    for (const before of APP_STATUSES) {
      await db.updateTable("apps").set({ status: before, server_id: serverId }).where("id", "=", appId).execute();
      await write(db, { appId, serverId });
      const { status } = (await world.row())!;
      const from: readonly string[] = STATUS_CHANGES[change].from;
      expect(`${change}: ${before} → ${status}`).toBe(`${change}: ${before} → ${from.includes(before) ? to : before}`);
    }
  }
});
