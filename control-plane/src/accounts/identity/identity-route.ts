import { z } from "zod";
import { SvcError } from "@svc/shared/errors.ts";
import type { StreamedAnswer } from "../../platform/http/answer.ts";
import type { Method } from "../../platform/http/route.ts";
import type { ObjectSchema } from "../../platform/http/validation.ts";
import type { Identity } from "./identity.ts";
import type { Session, Visit } from "./sessions/session.ts";

/** An answer that may set cookies: each is a header Set-Cookie. */
export type IdentityAnswer = StreamedAnswer & { cookie?: string | readonly string[] };

interface IdentityRequest<B> {
  visit: Visit;
  /** The request's own: a GET route serves HEAD too. */
  method: string;
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string>>;
  body: B;
}

interface RouteFacts {
  method: Extract<Method, "get" | "post" | "delete">;
  /** Begins with /auth/. */
  path: string;
  /** The page that a fault of ours leads to, where a browser is led through the route and would show the answer itself. */
  faultPage?: string;
}

/** A way in for people, as data. Pages use them; they are no part of the public API. */
export interface IdentityRoute extends RouteFacts {
  body: ObjectSchema;
  /**
   * @returns nothing for 204
   * @throws SvcError unauthorized without a session, where the route needs one
   */
  run(identity: Identity, request: IdentityRequest<unknown>): Promise<IdentityAnswer | void>;
}

const NOTHING = z.strictObject({});

/** A route for anybody. */
export function openRoute<B extends ObjectSchema = typeof NOTHING>(
  definition: RouteFacts & {
    body?: B;
    handle(identity: Identity, request: IdentityRequest<z.output<B>>): Promise<IdentityAnswer | void>;
  },
): IdentityRoute {
  const { handle, body, ...facts } = definition;
  return {
    ...facts,
    body: body ?? NOTHING,
    run: (identity, request) => handle(identity, request as IdentityRequest<z.output<B>>),
  };
}

/** A route for somebody who is signed in. */
export function personalRoute<B extends ObjectSchema = typeof NOTHING>(
  definition: RouteFacts & {
    body?: B;
    handle(identity: Identity, session: Session, request: IdentityRequest<z.output<B>>): Promise<IdentityAnswer | void>;
  },
): IdentityRoute {
  const { handle, ...rest } = definition;
  return openRoute({
    ...rest,
    handle: (identity, request) => handle(identity, requireSession(request.visit), request),
  });
}

/** @throws SvcError unauthorized */
function requireSession({ session }: Visit): Session {
  if (!session) throw new SvcError("unauthorized", "Sign in first.");
  return session;
}
