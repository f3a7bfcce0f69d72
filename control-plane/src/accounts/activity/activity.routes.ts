import { z } from "@hono/zod-openapi";
import { isId } from "@svc/shared/rules/ids.ts";
import type { Db } from "../../platform/database/database.ts";
import { json } from "../../platform/http/answer.ts";
import { route, success } from "../../platform/http/route.ts";
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
    target_name: z.string().nullable().openapi({
      description: "What the app, the team, the server or the person is called now; null when it is gone.",
    }),
    request_id: z.string().nullable(),
    detail: z.record(z.string(), z.unknown()),
  })
  .openapi("Activity");

const QuerySchema = z.strictObject({
  action: z.string().optional().openapi({ description: "an action, or the beginning of several: `app.`" }),
  user: z.string().optional().openapi({ description: "id of a person, whose keys count as well" }),
  limit: integerParameter({ min: 1, max: PAGE_SIZE_MAX }),
  cursor: z.string().optional().openapi({ description: "`next_cursor` of the page before" }),
});

const PAGE = success(200, "the entries", { activity: z.array(ActivitySchema), next_cursor: z.string().optional() });

export const activityRoutes = [
  route({
    method: "get",
    path: "/api/teams/{team}/activity",
    operationId: "listActivity",
    summary: "List who did what, the newest first",
    description:
      "Extension. Entries are kept for a year, and 10,000 of a team; each reader of an app's variables is noted once an hour. `next_cursor` is there when another page follows.",
    tag: "teams",
    scope: "unscoped",
    role: "owner",
    params: { team: "id of the team" },
    subject: namedTeam,
    query: QuerySchema,
    successes: PAGE,
    handle: async (ctx, { subject: team, query }) => json(200, await readPage(ctx.db, team.id, query)),
  }),
  route({
    method: "get",
    path: "/api/operator/activity",
    operationId: "listPlatformActivity",
    summary: "List who did what to the platform itself, the newest first",
    description: "Extension. Operators, administrators and the platform; 10,000 entries are kept, for a year.",
    tag: "operators",
    scope: "unscoped",
    role: "operator",
    subject: "none",
    query: QuerySchema,
    successes: PAGE,
    handle: async (ctx, { query }) => json(200, await readPage(ctx.db, null, query)),
  }),
];

/** @throws SvcError invalid_request */
async function readPage(db: Db, teamId: string | null, query: z.output<typeof QuerySchema>) {
  const { action, user: userId, limit = PAGE_SIZE, cursor: before } = query;
  if (userId !== undefined && !isId(userId)) throw invalid(`user is ${quoted(userId)}, which is no id of a person.`);
  if (action !== undefined && hasControlCharacter(action)) throw invalid(`action is ${quoted(action)}, which is none.`);
  if (before !== undefined && !CURSOR.test(before)) {
    throw invalid("cursor is not one that a list has returned: leave it out for the first page.");
  }
  const rows = await readActivity(db, teamId, { action, userId, before, limit: limit + 1 });
  const page = rows.slice(0, limit);
  const next = rows.length > limit ? { next_cursor: page.at(-1)!.id } : {};
  return { activity: page.map(activityView), ...next };
}

function activityView({ at, keyName, requestId, targetName, ...row }: ActivityRow) {
  const { id, actor, email, action, target, detail } = row;
  const named = { key_name: keyName, target_name: targetName, request_id: requestId };
  return { id, at: at.toISOString(), actor, email, action, target, detail, ...named };
}
