import { z } from "zod";
import { json } from "../../../platform/http/answer.ts";
import { nameOf, proof, redirectTo, token } from "../fields.ts";
import { openRoute, personalRoute, type IdentityRoute } from "../identity-route.ts";
import { ownPath } from "../own-path.ts";
import { addPasskey, beginPasskey } from "./add-passkey.ts";
import { removePasskey, renamePasskey } from "./change-passkeys.ts";
import { newPasskeyAnswer, signatureAnswer } from "./passkey-answers.ts";
import { passkeyView } from "./passkey-view.ts";
import { PASSKEY_NAME_LENGTH_MAX } from "./passkey.ts";
import { readPasskeys } from "./passkeys.store.ts";
import { beginPasskeySignIn, signInWithPasskey } from "./sign-in-with-passkey.ts";

const name = nameOf(PASSKEY_NAME_LENGTH_MAX);

export const passkeyRoutes: readonly IdentityRoute[] = [
  openRoute({
    method: "post",
    path: "/auth/sign-in/passkey/begin",
    handle: async (identity) => json(200, await beginPasskeySignIn(identity)),
  }),
  openRoute({
    method: "post",
    path: "/auth/sign-in/passkey",
    body: z.strictObject({ ticket: token, answer: signatureAnswer, redirect_to: redirectTo }),
    async handle(identity, { visit, body }) {
      const cookie = await signInWithPasskey(identity, visit, body);
      return { ...json(200, { redirect_to: ownPath(body.redirect_to) }), cookie };
    },
  }),
  personalRoute({
    method: "get",
    path: "/auth/passkeys",
    handle: async ({ db }, { userId }) => json(200, { passkeys: (await readPasskeys(db, userId)).map(passkeyView) }),
  }),
  personalRoute({
    method: "post",
    path: "/auth/passkeys/begin",
    body: proof,
    handle: async (identity, session, { visit, body }) => json(200, await beginPasskey(identity, visit, session, body)),
  }),
  personalRoute({
    method: "post",
    path: "/auth/passkeys",
    body: z.strictObject({ ticket: token, name, answer: newPasskeyAnswer }),
    handle: async (identity, session, { visit, body }) =>
      json(201, passkeyView(await addPasskey(identity, visit, session, body))),
  }),
  personalRoute({
    method: "post",
    path: "/auth/passkeys/{id}/rename",
    body: z.strictObject({ name }),
    async handle(identity, session, { visit, params, body }) {
      await renamePasskey(identity, visit, session, { id: params["id"] ?? "", name: body.name });
    },
  }),
  personalRoute({
    method: "post",
    path: "/auth/passkeys/{id}/remove",
    body: proof,
    async handle(identity, session, { visit, params, body }) {
      await removePasskey(identity, visit, session, { id: params["id"] ?? "", proof: body });
    },
  }),
];
