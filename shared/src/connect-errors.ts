import { Code, ConnectError } from "@connectrpc/connect";
import { ErrorDetailSchema } from "./gen/svc/agent/v1/agent_pb.ts";
import { toSvcError, type ErrorCode } from "./errors.ts";

/** The Connect (and gRPC) code of each of ours; what programs tell apart is the ErrorDetail beside it. */
const CONNECT_CODES: Readonly<Record<ErrorCode, Code>> = {
  invalid_request: Code.InvalidArgument,
  unauthorized: Code.Unauthenticated,
  insufficient_scope: Code.PermissionDenied,
  email_not_verified: Code.PermissionDenied,
  not_found: Code.NotFound,
  method_not_allowed: Code.Unimplemented,
  payload_too_large: Code.ResourceExhausted,
  unsupported_media_type: Code.InvalidArgument,
  rate_limited: Code.ResourceExhausted,
  idempotency_key_reuse: Code.FailedPrecondition,
  idempotency_key_in_progress: Code.FailedPrecondition,
  app_limit: Code.ResourceExhausted,
  name_taken: Code.AlreadyExists,
  name_in_use_by_stopped_app: Code.AlreadyExists,
  env_limit: Code.ResourceExhausted,
  reserved_env_key: Code.InvalidArgument,
  no_repository: Code.FailedPrecondition,
  deploy_in_progress: Code.FailedPrecondition,
  deploy_finished: Code.FailedPrecondition,
  release_in_use: Code.AlreadyExists,
  join_token_invalid: Code.Unauthenticated,
  server_removed: Code.PermissionDenied,
  agent_away: Code.Unavailable,
  lock_held: Code.FailedPrecondition,
  stale_attempt: Code.FailedPrecondition,
  repository_not_found: Code.FailedPrecondition,
  repository_needs_credentials: Code.FailedPrecondition,
  repository_unreachable: Code.FailedPrecondition,
  repository_too_large: Code.ResourceExhausted,
  ref_not_found: Code.FailedPrecondition,
  framework_unknown: Code.FailedPrecondition,
  build_failed: Code.FailedPrecondition,
  build_timed_out: Code.FailedPrecondition,
  build_out_of_memory: Code.ResourceExhausted,
  base_image_unavailable: Code.FailedPrecondition,
  app_exited: Code.FailedPrecondition,
  app_not_listening: Code.FailedPrecondition,
  app_out_of_memory: Code.ResourceExhausted,
  database_not_ready: Code.FailedPrecondition,
  route_not_proven: Code.FailedPrecondition,
  address_block_exhausted: Code.ResourceExhausted,
  disk_full: Code.ResourceExhausted,
  engine_unavailable: Code.FailedPrecondition,
  proxy_unavailable: Code.FailedPrecondition,
  step_timed_out: Code.FailedPrecondition,
  step_interrupted: Code.FailedPrecondition,
  canceled: Code.Canceled,
  internal: Code.Internal,
};

/** What crosses the wire: the code, the sentence and the ErrorDetail; never the cause. */
export function toConnectError(error: unknown): ConnectError {
  const { code, message } = toSvcError(error);
  return new ConnectError(message, CONNECT_CODES[code], undefined, [{ desc: ErrorDetailSchema, value: { code } }]);
}
