import type { ErrorCode, SvcError } from "@svc/shared/errors.ts";
import type { Answer } from "./answer.ts";

interface ErrorMapping {
  status: number;
  /** Is for the OpenAPI document. */
  description: string;
}

/** Every code of the product as HTTP has it; the OpenAPI document is made from the same table. */
export const HTTP_ERRORS: Readonly<Record<ErrorCode, ErrorMapping>> = {
  invalid_request: {
    status: 400,
    description: "The path, query, a header or the body breaks a rule; `detail` names it.",
  },
  unauthorized: { status: 401, description: "The API key is missing, malformed, unknown, expired or revoked." },
  other_person: { status: 409, description: "Another person is signed in than the header `Svc-Person` names." },
  insufficient_role: { status: 403, description: "The caller's role in the team does not allow it." },
  credentials_invalid: { status: 401, description: "E-mail address, password or code do not fit." },
  link_invalid: { status: 410, description: "The one-time link is unknown, used or expired." },
  origin_refused: { status: 403, description: "The request does not come from a page of this service." },
  sign_up_closed: { status: 403, description: "Accounts are made by invitation only." },
  insufficient_scope: { status: 403, description: "The API key lacks the scope, or is limited to other apps." },
  email_not_verified: { status: 403, description: "The account's e-mail address is not verified." },
  not_found: { status: 404, description: "Nothing has this name or id, or it belongs to another owner." },
  method_not_allowed: { status: 405, description: "The path does not have this method; `Allow` lists those it has." },
  payload_too_large: { status: 413, description: "The body is larger than 1 MiB." },
  unsupported_media_type: { status: 415, description: "The body is not declared as JSON." },
  rate_limited: { status: 429, description: "Too many requests; `Retry-After` says how many seconds to wait." },
  too_many_streams: {
    status: 429,
    description: "Too many streams are open; `Retry-After` says how many seconds to wait.",
  },
  idempotency_key_reuse: { status: 422, description: "The idempotency key was used with a different body." },
  idempotency_key_in_progress: { status: 409, description: "The first request with this idempotency key still runs." },
  key_limit: { status: 403, description: "The person has as many keys as anybody may." },
  team_limit: { status: 403, description: "The caller owns as many teams as anybody may." },
  team_in_use: { status: 409, description: "The team has apps." },
  personal_team: { status: 409, description: "A personal team has one member and stays with its person." },
  last_owner: { status: 409, description: "The team would have no owner any more." },
  already_member: { status: 409, description: "The address is of a member of the team." },
  invitation_invalid: { status: 404, description: "The invitation was used, has expired, or is somebody else's." },
  turn_in_progress: { status: 409, description: "An answer of this conversation is being written." },
  conversation_full: { status: 409, description: "The conversation has as many messages as it may have." },
  chat_limit: {
    status: 429,
    description:
      "The person has written as many messages as a day may have; `Retry-After` says how many seconds to wait.",
  },
  card_invalid: { status: 403, description: "The signature is not the card's. Nothing was done." },
  card_closed: { status: 409, description: "The card was decided before, or too late. Nothing was done." },
  app_limit: { status: 403, description: "The tier's number of apps is reached." },
  name_taken: { status: 409, description: "The name is taken." },
  name_in_use_by_stopped_app: { status: 409, description: "The caller's own soft-stopped app holds the name." },
  env_limit: { status: 400, description: "A variable breaks a limit; `detail` names its key. Nothing was applied." },
  reserved_env_key: { status: 400, description: "The key belongs to the platform. Nothing was applied." },
  repository_full: { status: 413, description: "The push is larger than what the platform's git host keeps." },
  no_repository: { status: 422, description: "The app has no repository to deploy from." },
  deploy_in_progress: { status: 409, description: "A deploy of this app, or on its server, is running or queued." },
  deploy_finished: { status: 409, description: "The deploy has ended." },
  release_in_use: { status: 409, description: "The app has a release of that name." },
  no_previous_deploy: { status: 409, description: "There is no earlier successful deploy to go back to." },
  release_image_gone: { status: 409, description: "The release's image is not on the server any more." },
  never_deployed: { status: 409, description: "The app was never deployed." },
  template_unknown: { status: 400, description: "There is no such template." },
  template_provisioning_failed: {
    status: 502,
    description: "The template's repository could not be made; nothing of the app was kept.",
  },
  deploy_key_exists: { status: 409, description: "The app has a deploy key; delete it first." },
  deploy_key_unsupported: {
    status: 422,
    description: "Deploy keys need a repository of the form https://github.com/<owner>/<repo>.",
  },
  domain_in_use: { status: 409, description: "The domain is in use on the platform." },
  domain_limit: { status: 400, description: "The app has as many domains as it may have." },
  domain_reserved: { status: 400, description: "The domain belongs to the platform." },
  domain_not_verified: {
    status: 422,
    description: "Ownership is not proven yet: publish `txt_value` as the TXT record `txt_record`.",
  },
  invalid_webhook_url: { status: 400, description: "The URL is not https, or leads to no public address." },
  webhook_limit: { status: 400, description: "The app has as many webhooks as it may have." },
  join_token_invalid: { status: 403, description: "The join token is unknown, used or expired." },
  server_removed: { status: 410, description: "The server was removed from the fleet." },
  agent_away: { status: 503, description: "The server's agent is not connected; try again later." },
  agent_too_old: { status: 503, description: "The server's agent is older than the control plane and can't do this." },
  lock_held: { status: 409, description: "Another deploy holds the server." },
  stale_attempt: { status: 409, description: "A newer attempt has taken over." },
  repository_not_found: { status: 422, description: "The repository does not exist." },
  repository_needs_credentials: { status: 422, description: "The repository is not public." },
  repository_unreachable: { status: 422, description: "The repository's host can't be reached." },
  repository_too_large: { status: 422, description: "The repository is larger than allowed." },
  ref_not_found: { status: 422, description: "The repository has no such branch, tag or commit." },
  framework_unknown: { status: 422, description: "The framework was not recognised." },
  build_failed: { status: 422, description: "The build failed." },
  build_timed_out: { status: 422, description: "The build took too long." },
  build_out_of_memory: { status: 422, description: "The build ran out of memory." },
  build_caps_unavailable: { status: 503, description: "The server can't hold builds to their caps." },
  base_image_unavailable: { status: 503, description: "A base image is not available on the server." },
  app_exited: { status: 422, description: "The app exited instead of serving." },
  app_not_listening: { status: 422, description: "The app does not listen on its port." },
  app_out_of_memory: { status: 422, description: "The app ran out of memory." },
  database_not_ready: { status: 503, description: "The app's database does not get ready." },
  database_dump_failed: {
    status: 503,
    description: "The last dump of the app's database could not be made, so its data was not removed.",
  },
  route_not_proven: { status: 503, description: "The route to the app could not be proven." },
  address_block_exhausted: { status: 503, description: "The server has no address block left." },
  isolation_unavailable: { status: 503, description: "The server can't keep apps apart." },
  server_memory_full: {
    status: 503,
    description: "The server's memory is promised to other apps; `detail` says how much.",
  },
  disk_full: { status: 503, description: "The server's disk is full." },
  engine_unavailable: { status: 503, description: "The server's container engine can't be reached." },
  proxy_unavailable: { status: 503, description: "The server's proxy can't be reached." },
  step_timed_out: { status: 504, description: "The step took too long." },
  step_interrupted: { status: 503, description: "The agent's process ended during the step." },
  canceled: { status: 409, description: "It was canceled." },
  internal: { status: 500, description: "Something went wrong on our side; `request_id` finds it in our log." },
};

/**
 * An error as the caller sees it: `{error: <code>, detail: <sentence>, …}`. A 401 never tells what was wrong with the
 * key, and an internal error tells only the request's id.
 */
export function errorAnswer(error: SvcError, requestId: string): Answer {
  return {
    status: HTTP_ERRORS[error.code].status,
    body: JSON.stringify(publicBody(error, requestId)),
    headers: headersOf(error),
  };
}

function publicBody(error: SvcError, requestId: string): Record<string, string> {
  switch (error.code) {
    case "unauthorized":
      return { error: error.code };
    case "internal":
      return { error: error.code, request_id: requestId };
    default:
      return { error: error.code, detail: error.message, ...error.fields };
  }
}

function headersOf(error: SvcError): Record<string, string> {
  const headers: Record<string, string> = {};
  // A 401 never comes without it (RFC 9110, 15.5.2).
  if (HTTP_ERRORS[error.code].status === 401) headers["WWW-Authenticate"] = "Bearer";
  if (error.retryAfterSeconds !== undefined) headers["Retry-After"] = String(error.retryAfterSeconds);
  return headers;
}
