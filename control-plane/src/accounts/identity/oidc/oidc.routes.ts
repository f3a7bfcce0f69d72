import { z } from "zod";
import { json, redirect } from "../../../platform/http/answer.ts";
import { password } from "../fields.ts";
import { openRoute, personalRoute, type IdentityAnswer, type IdentityRoute } from "../identity-route.ts";
import { ownPath } from "../own-path.ts";
import { answerCallback } from "./answer-callback.ts";
import { beginConnection, beginSignIn } from "./begin.ts";
import { disconnect } from "./disconnect.ts";
import { listConnections } from "./list-connections.ts";
import { FAULT_PAGE, unlessRefused, type Landing } from "./refused.ts";
import { signInPage } from "./sign-in-subject.ts";

/** Sign-in by OpenID Connect. A browser is led through the first routes, so they answer with a place to go to. */
export const oidcRoutes: readonly IdentityRoute[] = [
  openRoute({
    method: "get",
    path: "/auth/oidc/{id}",
    faultPage: FAULT_PAGE,
    async handle(identity, { visit, params, query }) {
      const redirectTo = ownPath(query["to"]);
      const begin = () => beginSignIn(identity, visit, { provider: params["id"] ?? "", redirectTo });
      return goTo(await unlessRefused(signInPage(redirectTo), begin));
    },
  }),
  openRoute({
    method: "get",
    path: "/auth/oidc/{id}/callback",
    faultPage: FAULT_PAGE,
    async handle(identity, { visit, params, query }) {
      return goTo(
        await unlessRefused("/sign-in", () => answerCallback(identity, visit, { provider: params["id"] ?? "", query })),
      );
    },
  }),
  personalRoute({
    method: "get",
    path: "/auth/connections",
    handle: async (identity, session) => json(200, await listConnections(identity, session)),
  }),
  personalRoute({
    method: "post",
    path: "/auth/connections",
    body: z.strictObject({ provider: z.string(), password: password.optional() }),
    async handle(identity, session, { body: { provider, password: given } }) {
      const { location, cookies } = await beginConnection(identity, session, { provider, password: given });
      return { ...json(200, { redirect_to: location }), cookie: cookies };
    },
  }),
  personalRoute({
    method: "post",
    path: "/auth/connections/{id}/remove",
    body: z.strictObject({ password: password.optional() }),
    async handle(identity, session, { visit, params, body }) {
      await disconnect(identity, visit, session, { id: params["id"] ?? "", password: body.password });
    },
  }),
];

function goTo({ location, cookies }: Landing): IdentityAnswer {
  return { ...redirect(location), cookie: cookies };
}
