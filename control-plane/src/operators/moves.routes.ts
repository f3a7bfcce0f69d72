import { actAsOperator } from "../accounts/operators/act-as-operator.ts";
import { cancelMove } from "../deploys/moves/cancel-move.ts";
import { MoveAnswerSchema, MoveRequestSchema, readMoveView } from "../deploys/moves/move-view.ts";
import { startMove } from "../deploys/moves/start-move.ts";
import { evacuateServer } from "../lifecycle/evacuation/evacuate-server.ts";
import { EvacuationSchema, readEvacuationView } from "../lifecycle/evacuation/evacuation-view.ts";
import { json } from "../platform/http/answer.ts";
import { route, type Route } from "../platform/http/route.ts";
import { anyApp, namedServer } from "./find-subjects.ts";

const OPERATORS = { tag: "operators", scope: "unscoped", role: "operator" } as const;
const APP = { name: "name of the app, whichever team's" };
const SERVER = { name: "name of the server" };

export const operatorMoveRoutes: Route[] = [
  route({
    ...OPERATORS,
    method: "post",
    path: "/api/operator/apps/{name}/move",
    operationId: "moveAnyApp",
    summary: "Move any team's app to another server",
    description: "Extension. As `moveApp` does it.",
    subject: anyApp,
    params: APP,
    body: MoveRequestSchema,
    successes: [{ status: 202, description: "the move has begun", schema: MoveAnswerSchema }],
    errors: ["deploy_in_progress", "agent_away"],
    async handle(ctx, { subject: app, body: { server: to } }) {
      const { userId } = ctx.actor;
      await actAsOperator(ctx, (tx, by) => startMove(ctx, tx, { app, to, by, userId }));
      return json(202, await readMoveView(ctx.db, app));
    },
  }),
  route({
    ...OPERATORS,
    method: "delete",
    path: "/api/operator/apps/{name}/move",
    operationId: "cancelAnyMove",
    summary: "Give up the move of any team's app",
    description: "Extension. As `cancelMove` does it.",
    subject: anyApp,
    params: APP,
    successes: [{ status: 202, description: "the move is being taken back", schema: MoveAnswerSchema }],
    errors: ["deploy_finished"],
    async handle(ctx, { subject: app }) {
      await actAsOperator(ctx, (tx, by) => cancelMove(tx, app, { by, isOperator: true }));
      return json(202, await readMoveView(ctx.db, app));
    },
  }),
  route({
    ...OPERATORS,
    method: "get",
    path: "/api/operator/apps/{name}/move",
    operationId: "readAnyMove",
    summary: "Read how far any team's app is with its newest move",
    description: "Extension.",
    subject: anyApp,
    params: APP,
    successes: [{ status: 200, description: "the move", schema: MoveAnswerSchema }],
    async handle({ db }, { subject: app }) {
      return json(200, await readMoveView(db, app));
    },
  }),
  route({
    ...OPERATORS,
    method: "post",
    path: "/api/servers/{name}/evacuate",
    operationId: "evacuateServer",
    summary: "Drain the server and move every app to others",
    description:
      "Extension. One app at a time, each to the server that a new app would go to. It stops where none takes the next app, or a " +
      "move fails, and says why; called again it goes on. `GET` of the same path says how far it is.",
    subject: namedServer,
    params: SERVER,
    successes: [{ status: 202, description: "it has begun, or goes on", schema: EvacuationSchema }],
    async handle(ctx, { subject: name }) {
      await actAsOperator(ctx, (tx, by) => evacuateServer(tx, name, by));
      return json(202, await readEvacuationView(ctx.db, name));
    },
  }),
  route({
    ...OPERATORS,
    method: "get",
    path: "/api/servers/{name}/evacuate",
    operationId: "readEvacuation",
    summary: "Read how far the server's evacuation is",
    description: "Extension.",
    subject: namedServer,
    params: SERVER,
    successes: [{ status: 200, description: "how far it is", schema: EvacuationSchema }],
    async handle({ db }, { subject: name }) {
      return json(200, await readEvacuationView(db, name));
    },
  }),
];
