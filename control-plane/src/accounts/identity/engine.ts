import { AsyncLocalStorage } from "node:async_hooks";
import { betterAuth } from "better-auth";
import { createAuthEndpoint } from "better-auth/api";
import { setSessionCookie } from "better-auth/cookies";
import { hashPassword, verifyPassword } from "better-auth/crypto";
import { z } from "zod";
import { newId } from "@svc/shared/rules/ids.ts";
import type { Db } from "../../platform/database/database.ts";
import { sessionCookie, type Visit } from "./sessions/session.ts";

/**
 * The work that better-auth does for us: hashes of passwords, new sessions and their cookies. Its own HTTP endpoints are never
 * served, since their answers hold raw tokens: a way in exists only where `identity.routes.ts` has one.
 *
 * It takes 0.3 s and some 40 MiB to load, so `identity.ts` imports this file when somebody signs in, not at the start.
 */
export interface Engine {
  hashPassword(password: string): Promise<string>;
  verifyPassword(hash: string, password: string): Promise<boolean>;
  /** Opens a session within the transaction. Returns its id, and the header Set-Cookie for its owner. */
  openSession(tx: Db, userId: string, visit: Visit): Promise<{ sessionId: string; cookie: string }>;
}

/** Counted from the sign-in, however often the session is used: a stolen cookie ends as well. */
const SESSION_SECONDS = 30 * 24 * 3600;
const USER_AGENT_LENGTH_MAX = 255;

export function createEngine({ db, secret, baseUrl }: { db: Db; secret: string; baseUrl: string }): Engine {
  const transactions = new AsyncLocalStorage<Db>();
  const cookie = sessionCookie(baseUrl);
  const auth = betterAuth({
    baseURL: new URL(baseUrl).origin,
    basePath: "/auth",
    secret,
    telemetry: { enabled: false },
    logger: { disabled: true },
    database: { db: followTransactions(db, transactions), type: "postgres", transaction: false },
    advanced: {
      // The migrations make the schema; a test signs in with it.
      database: { generateId: () => newId(), validateSchema: false },
      // It would put __Secure- before the name.
      useSecureCookies: false,
      defaultCookieAttributes: { secure: cookie.secure, sameSite: "lax", path: "/", httpOnly: true },
      cookies: { session_token: { name: cookie.name } },
    },
    user: {
      modelName: "users",
      fields: { emailVerified: "email_verified", ...TIMES },
    },
    session: {
      modelName: "sessions",
      fields: {
        userId: "user_id",
        expiresAt: "expires_at",
        ipAddress: "ip_address",
        userAgent: "user_agent",
        ...TIMES,
      },
      expiresIn: SESSION_SECONDS,
    },
    account: {
      modelName: "accounts",
      fields: {
        userId: "user_id",
        accountId: "account_id",
        providerId: "provider_id",
        accessToken: "access_token",
        refreshToken: "refresh_token",
        idToken: "id_token",
        accessTokenExpiresAt: "access_token_expires_at",
        refreshTokenExpiresAt: "refresh_token_expires_at",
        ...TIMES,
      },
    },
    verification: { modelName: "verifications", fields: { expiresAt: "expires_at", ...TIMES } },
    rateLimit: { enabled: false },
    plugins: [{ id: "svc", endpoints: { openSession } }],
  });

  return {
    hashPassword,
    verifyPassword: (hash, password) => verifyPassword({ hash, password }),
    async openSession(tx, userId, { address, headers }) {
      const userAgent = (headers.get("User-Agent") ?? "").slice(0, USER_AGENT_LENGTH_MAX);
      const { headers: answer, response } = await transactions.run(tx, () =>
        auth.api.openSession({ body: { userId, address, userAgent }, returnHeaders: true }),
      );
      const [made] = answer.getSetCookie();
      if (made === undefined) throw new Error("better-auth opened a session without a cookie");
      return { sessionId: response.sessionId, cookie: made };
    },
  };
}

const TIMES = { createdAt: "created_at", updatedAt: "updated_at" } as const;

const openSession = createAuthEndpoint(
  "/svc/open-session",
  { method: "POST", body: z.object({ userId: z.string(), address: z.string(), userAgent: z.string() }) },
  async (ctx) => {
    const { userId, address: ipAddress, userAgent } = ctx.body;
    const { internalAdapter } = ctx.context;
    const user = await internalAdapter.findUserById(userId);
    if (!user) throw new Error("there is no such user");
    const session = await internalAdapter.createSession(userId, false, { ipAddress, userAgent }, true);
    await setSessionCookie(ctx, { session, user }, false);
    return { sessionId: session.id };
  },
);

/** Queries on it run in the transaction that the caller is in, so that an audit row shares the session's fate. */
function followTransactions(db: Db, transactions: AsyncLocalStorage<Db>): Db {
  return new Proxy(db, {
    get(pool, property) {
      const target = transactions.getStore() ?? pool;
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === "function" ? (value as (...args: unknown[]) => unknown).bind(target) : value;
    },
  });
}
