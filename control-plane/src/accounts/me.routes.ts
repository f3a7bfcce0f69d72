import { z } from "@hono/zod-openapi";
import { json } from "../platform/http/answer.ts";
import { route, success } from "../platform/http/route.ts";
import { TeamSchema, teamView } from "./teams/team-views.ts";
import { readTeams } from "./teams/teams.store.ts";
import { readUser } from "./users.store.ts";

const MeSchema = z
  .object({
    user: z.object({
      id: z.string().openapi({ format: "uuid" }),
      email: z.string(),
      email_verified: z.boolean(),
      tier: z.string(),
      created_at: z.string().openapi({ format: "date-time" }),
    }),
    key: z
      .object({
        id: z.string().openapi({ format: "uuid" }),
        scopes: z.array(z.string()).nullable(),
        apps: z.array(z.string()).nullable(),
      })
      .nullable()
      .openapi({ description: "The key that asks; null in a session." }),
    teams: z
      .array(TeamSchema)
      .openapi({ description: "Those in which the caller acts: a key's one, a session's all." }),
  })
  .openapi("Me");

export const meRoutes = [
  route({
    method: "get",
    path: "/api/me",
    operationId: "readMe",
    summary: "Who the caller is, and what the caller may do",
    description: "Extension.",
    tag: "teams",
    scope: "apps:read",
    subject: "none",
    successes: success(200, "the caller", MeSchema),
    async handle(ctx) {
      const { userId, keyId, scopes, apps, teams } = ctx.actor;
      const { id, email, email_verified_at, tier, created_at } = await readUser(ctx.db, userId);
      const rows = await readTeams(
        ctx.db,
        teams.map(({ teamId }) => teamId),
      );
      const user = {
        id,
        email,
        email_verified: email_verified_at !== null,
        tier,
        created_at: created_at.toISOString(),
      };
      const key = keyId === undefined ? null : { id: keyId, scopes, apps };
      return json(200, { user, key, teams: rows.map((team) => teamView(ctx, team)) });
    },
  }),
];
