import { z } from "@hono/zod-openapi";
import { json } from "../../platform/http/answer.ts";
import { route, success } from "../../platform/http/route.ts";
import { changeRole, removeMember } from "./change-members.ts";
import { namedTeam } from "./find-team.ts";
import { readInvitations } from "./invitations.store.ts";
import { acceptInvitation, invite, takeBackInvitation } from "./invite.ts";
import { changeTeamName, createTeam, removeTeam } from "./manage-team.ts";
import { readMembers } from "./team-members.store.ts";
import {
  InvitationSchema,
  invitationView,
  MemberSchema,
  memberView,
  RoleSchema,
  TeamSchema,
  teamView,
} from "./team-views.ts";
import { readTeams } from "./teams.store.ts";

const TEAM = { team: "id of the team" };
const MEMBER = { ...TEAM, user: "id of the member" };
const OF_OWNER = { tag: "teams", scope: "unscoped", role: "owner", subject: namedTeam } as const;
const NamedSchema = z.strictObject({ name: z.string() });

const InvitedSchema = z.object({
  invitation: InvitationSchema,
  mail: z
    .enum(["sent", "kept"])
    .openapi({ description: "kept: there is no mail server, and an operator finds the mail on the service's machine" }),
});

export const teamRoutes = [
  route({
    method: "get",
    path: "/api/teams",
    operationId: "listTeams",
    summary: "List the teams that the caller is in",
    description: "Extension. The personal one comes first. A key acts in one team, and sees that one.",
    tag: "teams",
    scope: "apps:read",
    subject: "none",
    successes: success(200, "the teams", { teams: z.array(TeamSchema) }),
    async handle(ctx) {
      const ids = ctx.actor.teams.map(({ teamId }) => teamId);
      return json(200, { teams: (await readTeams(ctx.db, ids)).map((team) => teamView(ctx, team)) });
    },
  }),
  route({
    method: "post",
    path: "/api/teams",
    operationId: "createTeam",
    summary: "Make a team, which the caller owns",
    description: "Extension. It has the smallest tier until the operator moves it to another.",
    tag: "teams",
    scope: "unscoped",
    role: "viewer",
    subject: "none",
    body: NamedSchema.openapi("CreateTeam"),
    successes: success(201, "made", { team: TeamSchema }),
    errors: ["team_limit"],
    handle: async (ctx, { body }) => json(201, { team: teamView(ctx, await createTeam(ctx, body.name)) }),
  }),
  route({
    method: "patch",
    path: "/api/teams/{team}",
    operationId: "renameTeam",
    summary: "Rename the team",
    description: "Extension.",
    ...OF_OWNER,
    params: TEAM,
    body: NamedSchema.openapi("RenameTeam"),
    successes: success(200, "renamed", { team: TeamSchema }),
    errors: ["personal_team"],
    async handle(ctx, { subject: team, body }) {
      return json(200, { team: teamView(ctx, await changeTeamName(ctx, team, body.name)) });
    },
  }),
  route({
    method: "delete",
    path: "/api/teams/{team}",
    operationId: "deleteTeam",
    summary: "Delete the team, which has no apps any more",
    description: "Extension. Its keys end.",
    ...OF_OWNER,
    params: TEAM,
    successes: success(204, "deleted"),
    errors: ["personal_team", "team_in_use"],
    handle: (ctx, { subject: team }) => removeTeam(ctx, team),
  }),
  route({
    method: "get",
    path: "/api/teams/{team}/members",
    operationId: "listMembers",
    summary: "List who is in the team, and as what",
    description: "Extension. Who has been there for longest comes first.",
    tag: "teams",
    scope: "apps:read",
    params: TEAM,
    subject: namedTeam,
    successes: success(200, "the members", { members: z.array(MemberSchema) }),
    async handle(ctx, { subject: team }) {
      return json(200, { members: (await readMembers(ctx.db, team.id)).map(memberView) });
    },
  }),
  route({
    method: "put",
    path: "/api/teams/{team}/members/{user}",
    operationId: "changeRole",
    summary: "Give a member another role",
    description:
      "Extension. It holds from the member's next request on, and for the keys that they have made in the team.",
    ...OF_OWNER,
    params: MEMBER,
    body: z.strictObject({ role: RoleSchema }).openapi("ChangeRole"),
    successes: success(200, "changed", { member: MemberSchema }),
    errors: ["personal_team", "last_owner", "team_limit"],
    async handle(ctx, { subject: team, params, body }) {
      return json(200, { member: memberView(await changeRole(ctx, team, params["user"] ?? "", body.role)) });
    },
  }),
  route({
    method: "delete",
    path: "/api/teams/{team}/members/{user}",
    operationId: "removeMember",
    summary: "Take a member out of the team",
    description: "Extension. The keys that they have made in the team end.",
    ...OF_OWNER,
    params: MEMBER,
    successes: success(204, "removed"),
    errors: ["personal_team", "last_owner"],
    handle: (ctx, { subject: team, params }) => removeMember(ctx, team, params["user"] ?? ""),
  }),
  route({
    method: "get",
    path: "/api/teams/{team}/invitations",
    operationId: "listInvitations",
    summary: "List the invitations that can still be accepted",
    description: "Extension.",
    ...OF_OWNER,
    params: TEAM,
    successes: success(200, "the invitations", { invitations: z.array(InvitationSchema) }),
    async handle(ctx, { subject: team }) {
      return json(200, { invitations: (await readInvitations(ctx.db, team.id)).map(invitationView) });
    },
  }),
  route({
    method: "post",
    path: "/api/teams/{team}/invitations",
    operationId: "createInvitation",
    summary: "Invite an address into the team",
    description:
      "Extension. A mail with a link goes there, which works once, for seven days, and for that address alone. A further " +
      "invitation of the same address takes the place of the one before.",
    ...OF_OWNER,
    params: TEAM,
    body: z.strictObject({ email: z.string(), role: RoleSchema }).openapi("CreateInvitation"),
    successes: success(201, "invited", InvitedSchema),
    errors: ["personal_team", "already_member", "team_limit"],
    async handle(ctx, { subject: team, body }) {
      const invitation = invitationView(await invite(ctx, team, body));
      return json(201, { invitation, mail: ctx.platform.sendsMail ? "sent" : "kept" });
    },
  }),
  route({
    method: "delete",
    path: "/api/teams/{team}/invitations/{invitation}",
    operationId: "deleteInvitation",
    summary: "Take an invitation back",
    description: "Extension.",
    ...OF_OWNER,
    params: { ...TEAM, invitation: "id of the invitation" },
    successes: success(204, "taken back"),
    handle: (ctx, { subject: team, params }) => takeBackInvitation(ctx, team, params["invitation"] ?? ""),
  }),
  route({
    method: "post",
    path: "/api/invitations/accept",
    operationId: "acceptInvitation",
    summary: "Accept an invitation that was sent to the caller's address",
    description: "Extension. `token` is the part of the mail's link after `#token=`.",
    tag: "teams",
    scope: "unscoped",
    role: "viewer",
    subject: "none",
    body: z.strictObject({ token: z.string() }).openapi("AcceptInvitation"),
    successes: success(200, "the team that the caller is in now", { team: TeamSchema }),
    errors: ["invitation_invalid", "team_limit"],
    handle: async (ctx, { body }) => json(200, { team: teamView(ctx, await acceptInvitation(ctx, body.token)) }),
  }),
  route({
    method: "post",
    path: "/api/teams/{team}/leave",
    operationId: "leaveTeam",
    summary: "Leave the team",
    description: "Extension. The keys that the caller has made in the team end, this one included.",
    tag: "teams",
    scope: "unscoped",
    role: "viewer",
    params: TEAM,
    subject: namedTeam,
    successes: success(204, "left"),
    errors: ["personal_team", "last_owner"],
    handle: (ctx, { subject: team }) => removeMember(ctx, team, ctx.actor.userId),
  }),
];
