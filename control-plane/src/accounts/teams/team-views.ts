import { z } from "@hono/zod-openapi";
import type { OperationContext } from "../../platform/operation.ts";
import { ROLES, type Role } from "../../platform/role.ts";
import type { InvitationRow } from "./invitations.store.ts";
import type { MemberRow } from "./team-members.store.ts";
import type { TeamRow } from "./teams.store.ts";

export const RoleSchema = z.enum(ROLES).openapi("Role");

export const TeamSchema = z
  .object({
    id: z.string().openapi({ format: "uuid" }),
    name: z.string(),
    personal: z.boolean().openapi({ description: "Whether it is the one that everybody has, with one member." }),
    role: RoleSchema.openapi({ description: "The caller's." }),
    tier: z.string(),
    created_at: z.string().openapi({ format: "date-time" }),
  })
  .openapi("Team");

export const MemberSchema = z
  .object({
    user_id: z.string().openapi({ format: "uuid" }),
    email: z.string(),
    role: RoleSchema,
    since: z.string().openapi({ format: "date-time" }),
  })
  .openapi("Member");

export const InvitationSchema = z
  .object({
    id: z.string().openapi({ format: "uuid" }),
    email: z.string(),
    role: RoleSchema,
    invited_by: z.string().nullable().openapi({ description: "The address of who did." }),
    created_at: z.string().openapi({ format: "date-time" }),
    expires_at: z.string().openapi({ format: "date-time" }),
  })
  .openapi("Invitation");

export function invitationView({ id, email, role, invitedBy, createdAt, expiresAt }: InvitationRow) {
  const times = { created_at: createdAt.toISOString(), expires_at: expiresAt.toISOString() };
  return { id, email, role, invited_by: invitedBy ?? null, ...times };
}

export function teamView({ actor }: OperationContext, team: TeamRow & { role?: Role }) {
  const { id, name, user_id, tier, created_at } = team;
  const role = team.role ?? actor.teams.find(({ teamId }) => teamId === id)?.role ?? "owner";
  return { id, name, personal: user_id !== null, role, tier, created_at: created_at.toISOString() };
}

export function memberView({ userId, email, role, createdAt }: MemberRow) {
  return { user_id: userId, email, role, since: createdAt.toISOString() };
}
