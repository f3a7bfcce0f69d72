import { z } from "zod";
import { json, type Answer } from "../../../platform/http/answer.ts";
import type { Form } from "../../../platform/http/form.ts";
import { personalRoute, type IdentityRoute } from "../identity-route.ts";
import type { Identity } from "../identity.ts";
import type { Visit } from "../sessions/session.ts";
import { approveDevice, denyDevice, readDeviceRequest } from "./answer-request.ts";
import { askForCode } from "./ask-for-code.ts";
import { CLIENT_ID } from "./client.ts";
import { showUserCode } from "./device-code.ts";
import { fetchKey } from "./fetch-key.ts";
import { revokeOwnKey } from "./revoke-key.ts";

/** A route for a client that is no browser: it sends neither a cookie nor an origin. Its method is POST. */
export interface ClientRoute {
  path: string;
  /** @param read reads the request's body. @throws OAuthError, SvcError */
  run(identity: Identity, visit: Visit, read: BodyReader): Promise<Answer>;
}

export interface BodyReader {
  form(): Promise<Form>;
  json(): Promise<unknown>;
}

/** The device flow as its client sees it (RFC 8628). */
export const deviceClientRoutes: readonly ClientRoute[] = [
  {
    path: "/auth/device/code",
    run: async (identity, visit, read) => json(200, await askForCode(identity, visit, await read.form())),
  },
  {
    path: "/auth/device/token",
    run: async (identity, visit, read) => json(200, await fetchKey(identity, visit, await read.form())),
  },
  {
    path: "/auth/device/revoke",
    async run(identity, visit) {
      await revokeOwnKey(identity, visit);
      return json(200, {});
    },
  },
];

const userCode = z.string().max(40, "it is not a code that svc shows.");
const team = z.string().max(100, "it is not the id of a team.").optional();

/** The device flow as the person sees it. */
export const deviceRoutes: readonly IdentityRoute[] = [
  personalRoute({
    method: "get",
    path: "/auth/device",
    async handle(identity, session, { visit, query }) {
      const found = await readDeviceRequest(identity, visit, session, query["user_code"] ?? "");
      const { request, teams, proposed } = found;
      return json(200, {
        request: {
          client: CLIENT_ID,
          user_code: showUserCode(request.userCode),
          device_name: request.deviceName,
          scopes: request.scopes,
          address: request.address,
          created_at: request.createdAt.toISOString(),
          expires_at: request.expiresAt.toISOString(),
        },
        teams: teams.map(({ id, name, user_id, role }) => ({ id, name, personal: user_id !== null, role })),
        team: proposed?.id ?? null,
      });
    },
  }),
  personalRoute({
    method: "post",
    path: "/auth/device/approve",
    body: z.strictObject({ user_code: userCode, team }),
    handle: async (identity, session, { visit, body }) =>
      json(200, { team: await approveDevice(identity, visit, session, { userCode: body.user_code, team: body.team }) }),
  }),
  personalRoute({
    method: "post",
    path: "/auth/device/deny",
    body: z.strictObject({ user_code: userCode }),
    handle: (identity, session, { visit, body }) => denyDevice(identity, visit, session, body.user_code),
  }),
];
