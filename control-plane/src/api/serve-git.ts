import type { Context } from "hono";
import { SvcError, toSvcError } from "@svc/shared/errors.ts";
import { isId } from "@svc/shared/rules/ids.ts";
import { permitsApp } from "../platform/scope.ts";
import { readRepository, type RepositoryRow } from "../repositories/repositories.store.ts";
import { admitPush } from "../repositories/hosting/admit-push.ts";
import type { GitService } from "../repositories/hosting/git-input.ts";
import { serveGit } from "../repositories/hosting/http-backend.ts";
import { isReadToken } from "../repositories/hosting/read-token.ts";
import type { OperationContext } from "../platform/operation.ts";
import { notePush } from "../apps/pushes/note-push.ts";
import {
  authenticate,
  requireRole,
  requireScope,
  requireVerifiedEmail,
  type Caller,
} from "../accounts/authenticate.ts";
import { HTTP_ERRORS } from "../platform/http/errors.ts";
import type { RequestEnv } from "../platform/http/request-env.ts";
import type { RequestParts } from "./serve-route.ts";

/** The paths of git's smart protocol, and no other: no dumb protocol, no path with dots or a further folder. */
const PATH = /^\/git\/([^/]+)\/([a-z0-9-]{1,63})\.git\/(info\/refs|git-upload-pack|git-receive-pack)$/;

/** Whoever pushes changes what is built; whoever clones reads the app's code. */
const PUSHER = "developer";
const READER = "deployer";

interface Target {
  ownerId: string;
  name: string;
  service: GitService;
  advertises: boolean;
}

/**
 * Clones and pushes of the platform's own git host: `{base_url}/git/<owner's id>/<app>.git`, HTTP basic with any user
 * name and an API key as the password. A clone needs `apps:read`, a push `apps:write`.
 */
export async function serveGitRequest(
  parts: RequestParts & { log: { warn(fields: object, text: string): void } },
  c: Context<RequestEnv>,
): Promise<Response> {
  const event = c.get("event");
  event.route = "/git/{owner}/{name}.git";
  try {
    const target = targetOf(c.req.method, new URL(c.req.url));
    const password = passwordOf(c.req.header("Authorization"));
    const { repository, caller } = isReadToken(password)
      ? { repository: await readWithToken(parts, target, password), caller: undefined }
      : await findForCaller(parts, target, password);
    if (caller) Object.assign(event, { userId: caller.userId, keyId: caller.keyId });
    const isPush = target.service === "git-receive-pack";
    const onEnd = async (): Promise<void> => {
      if (!caller || target.advertises || !isPush) return;
      const ctx: OperationContext = { ...parts, actor: caller, requestId: c.get("requestId") };
      // A push that is missed here is noticed by the next look at all repositories.
      await notePush(ctx, repository).catch((err: unknown) => parts.log.warn({ err }, "a push was not noted yet"));
    };
    const { service, advertises } = target;
    const asked = {
      root: parts.hosting.folders.root,
      repositoryId: repository.id,
      userId: caller?.userId,
      service,
      advertises,
      ...(isPush && { admit: () => admitPush(parts.db, parts.hosting, repository) }),
    };
    return await serveGit({ ...asked, request: c.req.raw, onEnd });
  } catch (cause) {
    // Git's user can give a key in one way only, whatever was wrong.
    const error = toSvcError(cause).code === "unauthorized" ? unauthorized() : toSvcError(cause);
    event.error = error.code;
    if (HTTP_ERRORS[error.code].status >= 500) event.err = cause;
    return refusal(error);
  }
}

function targetOf(method: string, url: URL): Target {
  const [, ownerId, name, action] = PATH.exec(url.pathname) ?? [];
  if (ownerId === undefined || name === undefined || action === undefined || !isId(ownerId)) throw notFound();
  const advertises = action === "info/refs";
  const service = advertises ? url.searchParams.get("service") : action;
  if (service !== "git-upload-pack" && service !== "git-receive-pack") {
    throw new SvcError("invalid_request", "This host speaks git's smart HTTP protocol only: use git 1.6.6 or newer.");
  }
  const expected = advertises ? "GET" : "POST";
  if (method !== expected) {
    throw new SvcError("method_not_allowed", `This path has ${expected}, not ${method}.`, {
      fields: { allow: expected },
    });
  }
  return { ownerId, name, service, advertises };
}

/** @throws SvcError unauthorized */
function passwordOf(authorization: string | undefined): string {
  const encoded = /^Basic +([A-Za-z0-9+/]+=*)$/i.exec(authorization ?? "")?.[1];
  const decoded = Buffer.from(encoded ?? "", "base64").toString("utf8");
  const colon = decoded.indexOf(":");
  if (colon < 0) throw unauthorized();
  return decoded.slice(colon + 1);
}

/** @throws SvcError unauthorized, insufficient_scope, insufficient_role, email_not_verified, not_found for another owner's too */
async function findForCaller(
  parts: RequestParts,
  target: Target,
  password: string,
): Promise<{ repository: RepositoryRow; caller: Caller }> {
  const caller = await authenticate(parts.db, parts.keyOwners.readNow, `Bearer ${password}`);
  const isPush = target.service === "git-receive-pack";
  requireScope(caller, isPush ? "apps:write" : "apps:read");
  if (isPush) requireVerifiedEmail(caller);
  const isOwner = target.ownerId === caller.teamId;
  const repository = isOwner ? await readRepository(parts.db, caller.teamId, target.name) : undefined;
  if (!repository) throw notFound();
  requireRole(caller, isPush ? PUSHER : READER);
  if (!permitsApp(caller, repository.name)) {
    throw new SvcError("insufficient_scope", `This API key is limited to other apps than ${repository.name}.`);
  }
  return { repository, caller };
}

/** The pipeline's way in: reads this one repository. @throws SvcError unauthorized */
async function readWithToken(parts: RequestParts, target: Target, token: string): Promise<RepositoryRow> {
  const repository = await readRepository(parts.db, target.ownerId, target.name);
  const valid = repository !== undefined && parts.hosting.tokens.isValid(token, repository.id);
  if (!valid || target.service !== "git-upload-pack") throw unauthorized();
  return repository;
}

function notFound(): SvcError {
  return new SvcError("not_found", "You have no repository of that name.");
}

function unauthorized(): SvcError {
  return new SvcError("unauthorized", "Give an API key as the password; any user name will do.");
}

/** git shows its user a refusal that is plain text. */
function refusal(error: SvcError): Response {
  const headers = new Headers({ "Content-Type": "text/plain; charset=utf-8" });
  if (error.code === "unauthorized") headers.set("WWW-Authenticate", 'Basic realm="svc", charset="UTF-8"');
  const { allow } = error.fields;
  if (allow !== undefined) headers.set("Allow", allow);
  if (error.retryAfterSeconds !== undefined) headers.set("Retry-After", String(error.retryAfterSeconds));
  return new Response(`${error.message}\n`, { status: HTTP_ERRORS[error.code].status, headers });
}
