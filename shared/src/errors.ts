/**
 * The one list of error codes. A code is added only when a program must tell the case apart.
 * Each transport maps every code in a `Record<ErrorCode, …>`, so a forgotten one does not compile.
 */
export const ERROR_CODES = [
  // asking
  "invalid_request",
  "unauthorized",
  "other_person",
  "credentials_invalid",
  "link_invalid",
  "origin_refused",
  "sign_up_closed",
  "insufficient_scope",
  "insufficient_role",
  "email_not_verified",
  "not_found",
  "method_not_allowed",
  "payload_too_large",
  "unsupported_media_type",
  "rate_limited",
  "too_many_streams",
  "idempotency_key_reuse",
  "idempotency_key_in_progress",
  // apps and deploys
  "app_limit",
  "name_taken",
  "name_in_use_by_stopped_app",
  "env_limit",
  "reserved_env_key",
  "no_repository",
  "repository_full",
  "deploy_in_progress",
  "deploy_finished",
  "release_in_use",
  "no_previous_deploy",
  "release_image_gone",
  "never_deployed",
  "template_unknown",
  "template_provisioning_failed",
  "deploy_key_exists",
  "deploy_key_unsupported",
  "domain_in_use",
  "domain_limit",
  "domain_reserved",
  "domain_not_verified",
  "invalid_webhook_url",
  "webhook_limit",
  // teams
  "key_limit",
  "team_limit",
  "team_in_use",
  "personal_team",
  "last_owner",
  "already_member",
  "invitation_invalid",
  // chat
  "turn_in_progress",
  "conversation_full",
  "chat_limit",
  "card_invalid",
  "card_closed",
  // fleet
  "join_token_invalid",
  "server_removed",
  "agent_away",
  "agent_too_old",
  "lock_held",
  "stale_attempt",
  // why a step fails
  "repository_not_found",
  "repository_needs_credentials",
  "repository_unreachable",
  "repository_too_large",
  "ref_not_found",
  "framework_unknown",
  "build_failed",
  "build_timed_out",
  "build_out_of_memory",
  "build_caps_unavailable",
  "base_image_unavailable",
  "app_exited",
  "app_not_listening",
  "app_out_of_memory",
  "database_not_ready",
  "database_dump_failed",
  "route_not_proven",
  "address_block_exhausted",
  "isolation_unavailable",
  "server_memory_full",
  "disk_full",
  "engine_unavailable",
  "proxy_unavailable",
  "step_timed_out",
  "step_interrupted",
  "canceled",
  "internal",
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

const known: ReadonlySet<string> = new Set(ERROR_CODES);

export function isErrorCode(value: string): value is ErrorCode {
  return known.has(value);
}

export interface ErrorExtras {
  /** Is for us; is logged, never crosses a wire. */
  cause?: unknown;
  /** Further public fields of the answer, such as `txt_record`. */
  fields?: Readonly<Record<string, string>>;
  /** When trying again makes sense, in whole seconds. */
  retryAfterSeconds?: number;
}

/** An error whose `message` is a sentence for the person who can act; only `code`, `message` and `fields` are public. */
export class SvcError extends Error {
  override readonly name = "SvcError";
  readonly code: ErrorCode;
  readonly fields: Readonly<Record<string, string>>;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, extras: ErrorExtras = {}) {
    super(message, extras.cause === undefined ? undefined : { cause: extras.cause });
    this.code = code;
    this.fields = extras.fields ?? {};
    this.retryAfterSeconds = extras.retryAfterSeconds;
  }
}

/** The error itself when it is one of ours, else an `internal` one that tells nothing of its cause. */
export function toSvcError(error: unknown): SvcError {
  if (error instanceof SvcError) return error;
  return new SvcError("internal", "Something went wrong on our side.", { cause: error });
}
