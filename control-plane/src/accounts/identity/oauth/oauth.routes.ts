import { z } from "zod";
import { json } from "../../../platform/http/answer.ts";
import { parseObject } from "../../../platform/http/validation.ts";
import type { ClientRoute } from "../device/device.routes.ts";
import { personalRoute, type IdentityRoute } from "../identity-route.ts";
import { allowClient, readOfferedTeams, refuseClient } from "./answer-authorization.ts";
import { AuthorizationParameters, checkAuthorizationRequest } from "./authorization-request.ts";
import { exchangeCode } from "./exchange-code.ts";
import { PATHS } from "./metadata.ts";
import { redirectHost } from "./redirect-uri.ts";
import { registerClient } from "./register-client.ts";

/** The flow as its client sees it. */
export const oauthClientRoutes: readonly ClientRoute[] = [
  {
    path: PATHS.register,
    run: async (identity, visit, read) => json(201, await registerClient(identity, visit, await read.json())),
  },
  {
    path: PATHS.token,
    run: async (identity, visit, read) => json(200, await exchangeCode(identity, visit, await read.form())),
  },
];

/** The flow as the person sees it, on the page /authorize. */
export const oauthRoutes: readonly IdentityRoute[] = [
  personalRoute({
    method: "get",
    path: "/auth/oauth/request",
    async handle(identity, session, { query }) {
      const request = await checkAuthorizationRequest(identity, parseObject(AuthorizationParameters, query, "query"));
      const { host, isThisMachine } = redirectHost(request.redirectUri);
      const teams = await readOfferedTeams(identity, session, request);
      return json(200, {
        client: { name: request.client.name, host, on_this_machine: isThisMachine },
        scopes: request.scopes,
        teams: teams.map(({ team, role, scopes }) => ({ id: team.id, name: team.name, role, scopes })),
        team: session.userId,
      });
    },
  }),
  personalRoute({
    method: "post",
    path: "/auth/oauth/allow",
    body: z.strictObject({ request: AuthorizationParameters, team: z.string().max(100), scopes: z.array(z.string()) }),
    async handle(identity, session, { visit, body }) {
      const request = await checkAuthorizationRequest(identity, body.request);
      return json(200, { redirect_to: await allowClient(identity, visit, session, request, body) });
    },
  }),
  personalRoute({
    method: "post",
    path: "/auth/oauth/refuse",
    body: z.strictObject({ request: AuthorizationParameters }),
    async handle(identity, session, { visit, body }) {
      const request = await checkAuthorizationRequest(identity, body.request);
      return json(200, { redirect_to: await refuseClient(identity, visit, session, request) });
    },
  }),
];
