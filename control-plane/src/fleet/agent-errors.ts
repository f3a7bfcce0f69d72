import { Code, ConnectError } from "@connectrpc/connect";
import { isErrorCode, SvcError } from "@svc/shared/errors.ts";
import { ErrorDetailSchema } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";

/**
 * Turns a failed call to an agent into our error: the code and sentence that the agent gave, `agent_away` when the
 * connection broke or the agent did not answer in time, `agent_too_old` when it does not know the call, the caller's own reason when it aborted the call with a
 * SvcError, else `internal`. A SvcError is returned as it is.
 */
export function fromAgentError(error: unknown): SvcError {
  if (error instanceof SvcError) return error;
  const failure = ConnectError.from(error);
  if (failure.cause instanceof SvcError) return failure.cause;

  const detail = failure.findDetails(ErrorDetailSchema)[0];
  if (detail && isErrorCode(detail.code)) return new SvcError(detail.code, failure.rawMessage, { cause: error });
  if (failure.code === Code.Unimplemented) return agentTooOld(error);
  if (CODES_OF_A_BROKEN_CONNECTION.has(failure.code) || isConnectionError(error)) return agentAway(error);
  return new SvcError("internal", "The agent failed in a way that it could not explain; its log says more.", {
    cause: error,
  });
}

export function agentAway(cause?: unknown): SvcError {
  return new SvcError("agent_away", "The connection to the server's agent broke; it reconnects by itself.", { cause });
}

function agentTooOld(cause: unknown): SvcError {
  const message =
    "The server's agent is older than the platform, and can't do this yet. It can when an operator has updated it.";
  return new SvcError("agent_too_old", message, { cause });
}

/** Connect reports a dead connection as canceled or aborted; an agent that cancels on purpose adds an ErrorDetail. */
const CODES_OF_A_BROKEN_CONNECTION: ReadonlySet<Code> = new Set([
  Code.Canceled,
  Code.Aborted,
  Code.Unavailable,
  Code.DeadlineExceeded,
]);

/** Node's own errors reach us as the cause of an `internal` one. */
function isConnectionError(error: unknown): boolean {
  for (let current = error, depth = 0; current instanceof Error && depth < 5; current = current.cause, depth += 1) {
    const code = "code" in current ? current.code : undefined;
    if (typeof code === "string" && /^(ERR_HTTP2_|ERR_STREAM_|ECONN|EPIPE|ETIMEDOUT)/.test(code)) return true;
  }
  return false;
}
