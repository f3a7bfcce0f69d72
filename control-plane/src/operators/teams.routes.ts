import { z } from "@hono/zod-openapi";
import { isId } from "@svc/shared/rules/ids.ts";
import { POOL_RULE } from "@svc/shared/rules/servers/server-pool.ts";
import { changeTier } from "../accounts/change-tier.ts";
import { code, password } from "../accounts/identity/fields.ts";
import type { Identity } from "../accounts/identity/identity.ts";
import { actAsOperator, actAsProvenOperator } from "../accounts/operators/act-as-operator.ts";
import { givePools } from "../accounts/teams/give-pools.ts";
import { tierLimits } from "../accounts/read-tier.ts";
import { TierSchema } from "../accounts/tier-schema.ts";
import { json } from "../platform/http/answer.ts";
import { route, success, type Route } from "../platform/http/route.ts";
import { integerParameter } from "../platform/http/validation.ts";
import { hasControlCharacter, invalid, quoted } from "../platform/invalid.ts";
import { anyTeam } from "./find-subjects.ts";
import { readTeamOverviews, type TeamOverviewRow } from "./teams.store.ts";

const PAGE_SIZE = 50;
const PAGE_SIZE_MAX = 200;

const OPERATORS = { tag: "operators", scope: "unscoped", role: "operator" } as const;

const AnyTeamSchema = z
  .object({
    id: z.string().openapi({ format: "uuid" }),
    name: z.string(),
    personal: z.boolean(),
    owner: z.string().nullable().openapi({ description: "The address of whoever has owned it for longest." }),
    tier: z.string().openapi({ example: "free" }),
    pools: z.array(z.string()).openapi({ description: "pools of servers that an operator has given it", example: [] }),
    members: z.int(),
    apps: z.int().openapi({ description: "soft-stopped ones included" }),
    created_at: z.string().openapi({ format: "date-time" }),
  })
  .openapi("AnyTeam");

export function operatorTeamRoutes({ identity }: { identity: Identity }): Route[] {
  return [
    route({
      ...OPERATORS,
      method: "get",
      subject: "none",
      path: "/api/operator/teams",
      operationId: "listAllTeams",
      summary: "List all teams, by their names and numbers",
      description: "Extension. Personal ones included, oldest first; `next_cursor` is there when another page follows.",
      query: z.strictObject({
        find: z
          .string()
          .max(254, "it has at most 254 characters.")
          .optional()
          .openapi({ description: "a part of the team's name, or of its owner's address" }),
        limit: integerParameter({ min: 1, max: PAGE_SIZE_MAX }),
        cursor: z.string().optional().openapi({ description: "`next_cursor` of the page before" }),
      }),
      successes: success(200, "the teams", { teams: z.array(AnyTeamSchema), next_cursor: z.string().optional() }),
      async handle(ctx, { query: { find, limit = PAGE_SIZE, cursor: after } }) {
        if (find !== undefined && hasControlCharacter(find))
          throw invalid(`find is ${quoted(find)}, which is no name.`);
        if (after !== undefined && !isId(after)) {
          throw invalid("cursor is not one that a list has returned: leave it out for the first page.");
        }
        const rows = await readTeamOverviews(ctx.db, { find, after, limit: limit + 1 });
        const page = rows.slice(0, limit);
        const next = rows.length > limit ? { next_cursor: page.at(-1)!.id } : {};
        return json(200, { teams: page.map(anyTeamView), ...next });
      },
    }),
    route({
      ...OPERATORS,
      method: "get",
      subject: "none",
      path: "/api/operator/tiers",
      operationId: "listTiers",
      summary: "List the tiers that teams can have",
      description: "Extension. In the order of the tiers file.",
      successes: success(200, "the tiers", { tiers: z.array(TierSchema) }),
      async handle({ platform: { tiers } }) {
        return json(200, { tiers: Object.keys(tiers).map((name) => tierLimits(tiers, name)) });
      },
    }),
    route({
      ...OPERATORS,
      method: "put",
      subject: anyTeam,
      path: "/api/operator/teams/{team}/tier",
      operationId: "changeTier",
      summary: "Move a team to another tier",
      description:
        "Extension. With a personal team its person. What runs goes on; the limits hold from the next app and the next deploy on. " +
        "`password` and `code` are the caller's own, as far as they have them.",
      params: { team: "id of the team" },
      body: z
        .strictObject({ tier: z.string(), password: password.optional(), code: code.optional() })
        .openapi("ChangeTier", { example: { tier: "pro", password: "correct horse battery" } }),
      successes: success(200, "changed", { team: z.object({ id: z.string(), name: z.string(), tier: z.string() }) }),
      errors: ["credentials_invalid"],
      async handle(ctx, { subject: team, body: { tier, ...proof } }) {
        const to = { teamId: team.id, tier };
        const { tiers } = ctx.platform;
        const { id, name } = await actAsProvenOperator(identity, ctx, proof, (tx, by) => changeTier(tx, by, tiers, to));
        return json(200, { team: { id, name, tier } });
      },
    }),
    route({
      ...OPERATORS,
      method: "put",
      subject: anyTeam,
      path: "/api/operator/teams/{team}/pools",
      operationId: "givePools",
      summary: "Give a team pools of servers",
      description:
        "Extension. In place of those before, beside `default`, which every team has. The team's apps may ask for these pools, and " +
        "for servers in them; `default` in the list lets them name the servers of that pool, too. Apps that live elsewhere stay.",
      params: { team: "id of the team" },
      body: z
        .strictObject({ pools: z.array(z.string()).openapi({ description: `each ${POOL_RULE}` }) })
        .openapi("GivePools", { example: { pools: ["gpu"] } }),
      successes: [
        {
          status: 200,
          description: "given",
          schema: z.object({ team: z.object({ id: z.string(), name: z.string(), pools: z.array(z.string()) }) }),
        },
      ],
      async handle(ctx, { subject: team, body }) {
        const given = { teamId: team.id, ...body };
        const { id, name, pools } = await actAsOperator(ctx, (tx, by) => givePools(tx, by, given));
        return json(200, { team: { id, name, pools } });
      },
    }),
  ];
}

function anyTeamView({ createdAt, ...team }: TeamOverviewRow) {
  const { id, name, personal, owner, tier, pools, members, apps } = team;
  return { id, name, personal, owner, tier, pools, members, apps, created_at: createdAt.toISOString() };
}
