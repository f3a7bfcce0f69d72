import { readGivenPools } from "../../accounts/teams/read-pools.ts";
import { namedApp } from "../../apps/find-app.ts";
import { inRepeatedTransaction } from "../../platform/database/database.ts";
import { json } from "../../platform/http/answer.ts";
import { route } from "../../platform/http/route.ts";
import { actingOf } from "../../platform/operation.ts";
import { cancelMove } from "./cancel-move.ts";
import { MoveAnswerSchema, MoveRequestSchema, readMoveView } from "./move-view.ts";
import { startMove } from "./start-move.ts";

export const moveRoutes = [
  route({
    method: "post",
    path: "/api/apps/{name}/move",
    operationId: "moveApp",
    summary: "Move the app to another server",
    description:
      "Extension. With its image, its databases, its variables and its domains, to a server that takes new apps. The app " +
      "serves while its image is carried; its requests are refused while its databases are, until the other server serves it: nothing " +
      "that it has stored is lost. When the move fails, it goes on where it was. Its logs, and the images of former releases, stay " +
      "behind. `GET` of the same path says how far it is.",
    tag: "apps",
    scope: "apps:write",
    role: "owner",
    subject: namedApp,
    body: MoveRequestSchema,
    successes: [{ status: 202, description: "the move has begun", schema: MoveAnswerSchema }],
    errors: ["deploy_in_progress", "agent_away"],
    async handle(ctx, { subject: app, body: { server: to } }) {
      const by = actingOf(ctx);
      const { userId, teamId } = ctx.actor;
      await inRepeatedTransaction(ctx.db, async (tx) => {
        await startMove(ctx, tx, { app, to, by, userId, pools: await readGivenPools(tx, teamId) });
      });
      return json(202, await readMoveView(ctx.db, app));
    },
  }),
  route({
    method: "delete",
    path: "/api/apps/{name}/move",
    operationId: "cancelMove",
    summary: "Give up the move of the app",
    description:
      "Extension. The app goes on where it was, and the move ends as `canceled`. Refused once the other server serves the app, or " +
      "is about to: what was stored there would be lost.",
    tag: "apps",
    scope: "apps:write",
    role: "owner",
    subject: namedApp,
    successes: [{ status: 202, description: "the move is being taken back", schema: MoveAnswerSchema }],
    errors: ["deploy_finished"],
    async handle(ctx, { subject: app }) {
      await inRepeatedTransaction(ctx.db, (tx) => cancelMove(tx, app, { by: actingOf(ctx) }));
      return json(202, await readMoveView(ctx.db, app));
    },
  }),
  route({
    method: "get",
    path: "/api/apps/{name}/move",
    operationId: "readMove",
    summary: "Read how far the app's newest move is",
    description: "Extension.",
    tag: "apps",
    scope: "apps:read",
    role: "viewer",
    subject: namedApp,
    successes: [{ status: 200, description: "the move", schema: MoveAnswerSchema }],
    async handle({ db }, { subject: app }) {
      return json(200, await readMoveView(db, app));
    },
  }),
];
