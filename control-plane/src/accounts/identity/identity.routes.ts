import { z } from "zod";
import { SvcError } from "@svc/shared/errors.ts";
import { json, noContent } from "../../platform/http/answer.ts";
import { askForAddress, takeNewAddress } from "./account/change-address.ts";
import { readKeysOf } from "../keys/api-keys.store.ts";
import { keyView } from "../keys/key-view.ts";
import { deleteAccount } from "./account/delete-account.ts";
import { exportAccount } from "./account/export-account.ts";
import { deviceRoutes } from "./device/device.routes.ts";
import { endOtherSessions, endSession } from "./sessions/end-sessions.ts";
import { code, email, name, password, proof, redirectTo, token } from "./fields.ts";
import { openRoute, personalRoute, type IdentityRoute } from "./identity-route.ts";
import { join } from "./joining/join.ts";
import { readInvitation } from "./joining/read-invitation.ts";
import { oauthRoutes } from "./oauth/oauth.routes.ts";
import { oidcRoutes } from "./oidc/oidc.routes.ts";
import { makeOwnKey, revokeOwnKey } from "./account/own-keys.ts";
import { ownPath } from "./own-path.ts";
import { passkeyRoutes } from "./passkeys/passkeys.routes.ts";
import { changePassword } from "./passwords/change-password.ts";
import { askForReset, resetPassword } from "./passwords/reset-password.ts";
import { readPerson } from "./people.store.ts";
import { answerChallenge } from "./second-factor/answer-challenge.ts";
import { beginSecondFactor, confirmSecondFactor, removeSecondFactor } from "./second-factor/set-up-second-factor.ts";
import { removedCookie, type Session } from "./sessions/session.ts";
import { readSessions, type SessionRow } from "./sessions/sessions.store.ts";
import { signIn } from "./sign-in.ts";
import { signUp } from "./joining/sign-up.ts";
import { askForVerification, verifyAddress } from "./account/verify-address.ts";

/** Every way in for people: what is not here does not exist. */
export const identityRoutes: readonly IdentityRoute[] = [
  openRoute({
    method: "get",
    path: "/auth/ways",
    handle: async ({ oidc, signUp: { mode } }) =>
      json(200, { sign_up: mode, providers: oidc.providers.map(({ id, name: called }) => ({ id, name: called })) }),
  }),
  openRoute({
    method: "post",
    path: "/auth/sign-in",
    body: z.strictObject({ email, password, redirect_to: redirectTo }),
    async handle(identity, { visit, body }) {
      const signedIn = await signIn(identity, visit, body);
      if ("challenge" in signedIn) return json(200, { challenge: signedIn.challenge });
      return { ...json(200, { redirect_to: ownPath(body.redirect_to) }), cookie: signedIn.cookie };
    },
  }),
  openRoute({
    method: "post",
    path: "/auth/second-factor/answer",
    body: z.strictObject({ challenge: token, code, redirect_to: redirectTo }),
    async handle(identity, { visit, body }) {
      const cookie = await answerChallenge(identity, visit, body);
      return { ...json(200, { redirect_to: ownPath(body.redirect_to) }), cookie };
    },
  }),
  openRoute({
    method: "post",
    path: "/auth/sign-out",
    async handle(identity, { visit }) {
      const { session } = visit;
      if (session) await endSession(identity, visit, session, session.sessionId).catch(ignoreEnded);
      return { ...noContent, cookie: removedCookie(identity.cookie) };
    },
  }),
  openRoute({
    method: "post",
    path: "/auth/sign-up",
    body: z.strictObject({ email }),
    async handle(identity, { visit, body }) {
      await signUp(identity, visit, body);
      return json(202, { status: "mail_queued" });
    },
  }),
  openRoute({
    method: "post",
    path: "/auth/join",
    body: z.strictObject({ token, name, password }),
    async handle(identity, { visit, body }) {
      return { ...json(201, { redirect_to: ownPath(undefined) }), cookie: await join(identity, visit, body) };
    },
  }),
  openRoute({
    method: "post",
    path: "/auth/join/invitation",
    body: z.strictObject({ token }),
    async handle(identity, { body }) {
      const { email: invited, team } = await readInvitation(identity, body.token);
      const of = team && { name: team.name, role: team.role, invited_by: team.invitedBy };
      return json(200, { email: invited, team: of ?? null });
    },
  }),
  openRoute({
    method: "post",
    path: "/auth/forgot",
    body: z.strictObject({ email }),
    async handle(identity, { visit, body }) {
      await askForReset(identity, visit, body);
      return json(202, { status: "mail_queued" });
    },
  }),
  openRoute({
    method: "post",
    path: "/auth/reset",
    body: z.strictObject({ token, password }),
    handle: (identity, { visit, body }) => resetPassword(identity, visit, body),
  }),
  openRoute({
    method: "post",
    path: "/auth/verify",
    body: z.strictObject({ token }),
    handle: (identity, { visit, body }) => verifyAddress(identity, visit, body),
  }),
  personalRoute({
    method: "post",
    path: "/auth/address",
    body: z.strictObject({ password: password.optional(), email }),
    async handle(identity, session, { visit, body }) {
      await askForAddress(identity, visit, session, body);
      return json(202, { status: "mail_queued" });
    },
  }),
  openRoute({
    method: "post",
    path: "/auth/address/confirm",
    body: z.strictObject({ token }),
    handle: (identity, { visit, body }) => takeNewAddress(identity, visit, body),
  }),
  personalRoute({
    method: "get",
    path: "/auth/export",
    handle: async (identity, session, { method }) =>
      method === "HEAD" ? json(200, {}) : { status: 200, body: await exportAccount(identity, session) },
  }),
  personalRoute({
    method: "post",
    path: "/auth/delete",
    body: proof,
    async handle(identity, session, { visit, body }) {
      await deleteAccount(identity, visit, session, body);
      return { ...noContent, cookie: removedCookie(identity.cookie) };
    },
  }),
  personalRoute({
    method: "post",
    path: "/auth/verification",
    async handle(identity, session, { visit }) {
      await askForVerification(identity, visit, session);
      return json(202, { status: session.emailVerified ? "verified" : "mail_queued" });
    },
  }),
  personalRoute({
    method: "get",
    path: "/auth/session",
    async handle({ db }, session) {
      const person = await readPerson(db, session.userId);
      const hasPassword = person !== undefined && person.passwordHash !== null;
      return json(200, {
        session: sessionView(session),
        person: { ...personView(session), has_password: hasPassword },
      });
    },
  }),
  personalRoute({
    method: "get",
    path: "/auth/sessions",
    async handle(identity, session) {
      const rows = await readSessions(identity.db, session.userId);
      return json(200, { sessions: rows.map((row) => rowView(row, session)) });
    },
  }),
  personalRoute({
    method: "delete",
    path: "/auth/sessions",
    handle: async (identity, session, { visit }) =>
      json(200, { ended: await endOtherSessions(identity, visit, session) }),
  }),
  personalRoute({
    method: "delete",
    path: "/auth/sessions/{id}",
    handle: (identity, session, { visit, params }) => endSession(identity, visit, session, params["id"] ?? ""),
  }),
  personalRoute({
    method: "get",
    path: "/auth/keys",
    handle: async ({ db }, { userId }) => json(200, { keys: (await readKeysOf(db, userId)).map(keyView) }),
  }),
  personalRoute({
    method: "post",
    path: "/auth/keys",
    body: z.strictObject({
      name: z.string(),
      team: z.string().optional(),
      scopes: z.array(z.string()).optional(),
      apps: z.array(z.string()).optional(),
      expires_at: z.string().optional(),
    }),
    async handle(identity, session, { visit, body }) {
      const { value, ...row } = await makeOwnKey(identity, visit, session, body);
      return json(201, { ...keyView(row), key: value });
    },
  }),
  personalRoute({
    method: "delete",
    path: "/auth/keys/{id}",
    handle: (identity, session, { visit, params }) => revokeOwnKey(identity, visit, session, params["id"] ?? ""),
  }),
  personalRoute({
    method: "post",
    path: "/auth/password",
    body: z.strictObject({ password, new_password: password }),
    async handle(identity, session, { visit, body }) {
      await changePassword(identity, visit, session, { password: body.password, newPassword: body.new_password });
    },
  }),
  personalRoute({
    method: "post",
    path: "/auth/second-factor",
    body: z.strictObject({ password: password.optional() }),
    handle: async (identity, session, { visit, body }) =>
      json(200, await beginSecondFactor(identity, visit, session, body)),
  }),
  personalRoute({
    method: "post",
    path: "/auth/second-factor/confirm",
    body: z.strictObject({ code }),
    handle: async (identity, session, { visit, body }) =>
      json(200, { recovery_codes: await confirmSecondFactor(identity, visit, session, body) }),
  }),
  personalRoute({
    method: "post",
    path: "/auth/second-factor/remove",
    body: proof,
    handle: (identity, session, { visit, body }) => removeSecondFactor(identity, visit, session, body),
  }),
  ...deviceRoutes,
  ...oauthRoutes,
  ...oidcRoutes,
  ...passkeyRoutes,
];

/** A session that another request ends at this moment is as good as ended. @throws the error, when it may go on */
function ignoreEnded(error: unknown): void {
  if (!(error instanceof SvcError) || error.code !== "not_found") throw error;
}

function sessionView({ sessionId: id, createdAt, expiresAt }: Session) {
  return { id, created_at: createdAt.toISOString(), expires_at: expiresAt.toISOString() };
}

function personView(session: Session) {
  const { userId: id, email: address, emailVerified, name: called, tier, hasSecondFactor, isOperator } = session;
  return {
    id,
    email: address,
    email_verified: emailVerified,
    name: called,
    tier,
    second_factor: hasSecondFactor,
    operator: isOperator,
  };
}

function rowView(row: SessionRow, { sessionId }: Session) {
  return {
    id: row.id,
    current: row.id === sessionId,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    address: row.ip_address,
    user_agent: row.user_agent,
  };
}
