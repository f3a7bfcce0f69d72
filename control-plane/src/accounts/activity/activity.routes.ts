import { z } from "@hono/zod-openapi";
import { isId } from "@svc/shared/rules/ids.ts";
import { json } from "../../platform/http/answer.ts";
import { route } from "../../platform/http/route.ts";
import { integerParameter } from "../../platform/http/validation.ts";
import { hasControlCharacter, invalid, quoted } from "../../platform/invalid.ts";
import { namedTeam } from "../teams/find-team.ts";
import { readActivity, type ActivityRow } from "./activity.store.ts";

const PAGE_SIZE = 50;
const PAGE_SIZE_MAX = 200;
/** As PostgreSQL's bigint. */
const CURSOR = /^[0-9]{1,18}$/;

const ActivitySchema = z
  .object({
    id: z.string(),
    at: z.string().openapi({ format: "date-time" }),
    actor: z.string().openapi({ description: "`user:<id>`, `key:<id>`, `operator` or `system`." }),
    email: z.string().nullable().openapi({ description: "Of the person, or of the key's maker." }),
    key_name: z.string().nullable(),
    action: z.string(),
    target: z.string().openapi({ description: "`<thing>:<id>`" }),
    request_id: z.string().nullable(),
    detail: z.record(z.string(), z.unknown()),
  })
  .openapi("Activity");

export const activityRoutes = [
  route({
    method: "get",
    path: "/api/teams/{team}/activity",
    operationId: "listActivity",
    summary: "List who did what, the newest first",
    description:
      "Extension. Entries are kept for a year, and 10,000 of a team; `next_cursor` is there when another page follows.",
    tag: "teams",
    scope: "unscoped",
    role: "owner",
    changes: false,
    params: { team: "id of the team" },
    subject: namedTeam,
    query: z.strictObject({
      action: z.string().optional().openapi({ description: "an action, or the beginning of several: `app.`" }),
      user: z.string().optional().openapi({ description: "id of a person, whose keys count as well" }),
      limit: integerParameter({ min: 1, max: PAGE_SIZE_MAX }).openapi({
        type: "integer",
        minimum: 1,
        maximum: PAGE_SIZE_MAX,
      }),
      cursor: z.string().optional().openapi({ description: "`next_cursor` of the page before" }),
    }),
    successes: [
      {
        status: 200,
        description: "the entries",
        schema: z.object({ activity: z.array(ActivitySchema), next_cursor: z.string().optional() }),
      },
    ],
    errors: [],
    async handle(ctx, { subject: team, query }) {
      const { action, user: userId, limit = PAGE_SIZE, cursor: before } = query;
      if (userId !== undefined && !isId(userId))
        throw invalid(`user is ${quoted(userId)}, which is no id of a person.`);
      if (action !== undefined && hasControlCharacter(action))
        throw invalid(`action is ${quoted(action)}, which is none.`);
      if (before !== undefined && !CURSOR.test(before)) {
        throw invalid("cursor is not one that a list has returned: leave it out for the first page.");
      }
      const rows = await readActivity(ctx.db, team.id, { action, userId, before, limit: limit + 1 });
      const page = rows.slice(0, limit);
      const next = rows.length > limit ? { next_cursor: page.at(-1)!.id } : {};
      return json(200, { activity: page.map(activityView), ...next });
    },
  }),
];

function activityView({ at, keyName, requestId, ...row }: ActivityRow) {
  const { id, actor, email, action, target, detail } = row;
  return { id, at: at.toISOString(), actor, email, key_name: keyName, action, target, request_id: requestId, detail };
}
