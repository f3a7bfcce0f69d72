import { z } from "@hono/zod-openapi";
import type { HostPort } from "@svc/shared/platform/env.ts";
import { code, password } from "../accounts/identity/fields.ts";
import type { Identity } from "../accounts/identity/identity.ts";
import { actAsOperator, actAsProvenOperator } from "../accounts/operators/act-as-operator.ts";
import { setServer } from "../fleet/set-server.ts";
import { drainServer } from "../fleet/drain-server.ts";
import { createJoinToken } from "../fleet/joining/create-join-token.ts";
import { joinCommand } from "../fleet/joining/join-command.ts";
import { undrainServer } from "../fleet/undrain-server.ts";
import type { Acting } from "../platform/audit.store.ts";
import type { Db } from "../platform/database/database.ts";
import { json } from "../platform/http/answer.ts";
import { route, success, type Route } from "../platform/http/route.ts";
import { namedServer } from "./find-subjects.ts";
import { readServer, readServers } from "./read-servers.ts";
import { AppOnServerSchema, OpenDeploySchema, ServerSchema, SetServerSchema } from "./server-schemas.ts";
import { serverDetailsView, serverView } from "./server-views.ts";

export interface ServerRouteParts {
  identity: Identity;
  joining: {
    /** By which an agent recognises the fleet. */
    authorityFingerprint: string;
    /** Where agents connect. */
    agentsAddress: HostPort;
  };
}

const SERVER = { name: "name of the server" };
const OPERATORS = { tag: "operators", scope: "unscoped", role: "operator" } as const;

export function serverRoutes({ identity, joining }: ServerRouteParts): Route[] {
  return [
    route({
      ...OPERATORS,
      method: "get",
      subject: "none",
      path: "/api/servers",
      operationId: "listServers",
      summary: "List the servers, with their figures and queues",
      description: "Extension. By name.",
      successes: success(200, "the servers", {
        servers: z.array(ServerSchema),
        unplaced: z
          .object({ length: z.int(), oldest_since: z.string().nullable().openapi({ format: "date-time" }) })
          .openapi({ description: "Deploys that wait because no server takes them." }),
      }),
      async handle({ db }) {
        const { servers, unplaced } = await readServers(db);
        const waiting = { length: unplaced.length, oldest_since: unplaced.oldest?.toISOString() ?? null };
        return json(200, { servers: servers.map(serverView), unplaced: waiting });
      },
    }),
    route({
      ...OPERATORS,
      method: "get",
      subject: namedServer,
      path: "/api/servers/{name}",
      operationId: "readServer",
      summary: "Read one server, with what runs and waits there, and its apps",
      description: "Extension. At most 200 deploys and 200 apps are listed; `server` has their numbers.",
      params: SERVER,
      successes: success(200, "the server", {
        server: ServerSchema,
        deploys: z.array(OpenDeploySchema),
        apps: z.array(AppOnServerSchema),
      }),
      handle: async ({ db }, { subject: name }) => json(200, serverDetailsView(await readServer(db, name))),
    }),
    route({
      ...OPERATORS,
      method: "post",
      subject: "none",
      path: "/api/servers",
      operationId: "createServer",
      summary: "Make a server that one agent can join as",
      description:
        "Extension. The answer has the command for the host, with a token that works once and for 15 minutes, and is shown this " +
        "once. Without a name the first free one of server-1, server-2, … is taken; for a server that is still joining, the " +
        "earlier token ends. `password` and `code` are the caller's own, as far as they have them.",
      body: z
        .strictObject({ name: z.string().optional(), password: password.optional(), code: code.optional() })
        .openapi("CreateServer", { example: { name: "server-2", password: "correct horse battery" } }),
      successes: success(201, "made", {
        server: z.string(),
        command: z.string().openapi({
          description: "for the host's shell",
          example:
            "export SVC_JOIN_TOKEN=svcjoin_… && curl -fsSk --http1.1 https://svc.example.com:8443/install-agent.sh …",
        }),
        expires_at: z.string().openapi({ format: "date-time" }),
      }),
      errors: ["credentials_invalid", "name_taken"],
      async handle(ctx, { body: { name, ...proof } }) {
        const { server, token, expiresAt } = await actAsProvenOperator(identity, ctx, proof, (tx, by) =>
          createJoinToken(tx, joining.authorityFingerprint, by, name),
        );
        const command = await joinCommand(joining.agentsAddress, new URL(identity.baseUrl).hostname, token);
        return json(201, { server, command, expires_at: expiresAt.toISOString() });
      },
    }),
    route({
      ...OPERATORS,
      method: "patch",
      subject: namedServer,
      path: "/api/servers/{name}",
      operationId: "setServer",
      summary: "Set the server's pool, labels and address",
      description:
        "Extension. At least one of the properties. Apps that live there stay, whatever they have asked for; new ones are " +
        "placed by what is set.",
      params: SERVER,
      body: SetServerSchema,
      successes: [{ status: 200, description: "set", schema: z.object({ server: ServerSchema }) }],
      async handle(ctx, { subject: name, body }) {
        await actAsOperator(ctx, (tx, by) => setServer(tx, name, body, by));
        return json(200, { server: serverView((await readServer(ctx.db, name)).server) });
      },
    }),
    placementRoute({
      path: "/api/servers/{name}/drain",
      operationId: "drainServer",
      summary: "Give the server no new apps",
      description: "Extension. Apps that live there go on, their deploys included.",
      change: drainServer,
    }),
    placementRoute({
      path: "/api/servers/{name}/undrain",
      operationId: "undrainServer",
      summary: "Give the server new apps again",
      description: "Extension. Deploys that wait for a server come first.",
      change: undrainServer,
    }),
  ];
}

/** A change of whether the server takes new apps; it can be taken back by the other. */
function placementRoute({
  change,
  ...facts
}: Pick<Route, "path" | "operationId" | "summary"> & {
  description: string;
  change(tx: Db, name: string, by: Acting): Promise<void>;
}): Route {
  return route({
    ...OPERATORS,
    ...facts,
    method: "post",
    subject: namedServer,
    params: SERVER,
    successes: success(200, "done", { server: ServerSchema }),
    async handle(ctx, { subject: name }) {
      await actAsOperator(ctx, (tx, by) => change(tx, name, by));
      return json(200, { server: serverView((await readServer(ctx.db, name)).server) });
    },
  });
}
