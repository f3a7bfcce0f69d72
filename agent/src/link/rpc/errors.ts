import { randomBytes } from "node:crypto";
import { Code, ConnectError } from "@connectrpc/connect";
import { toConnectError } from "@svc/shared/platform/connect-errors.ts";
import { SvcError } from "@svc/shared/errors.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { explainFullDisk } from "../../platform/durable-file.ts";

/**
 * Makes the error that crosses the wire. A known one keeps its code and sentence; of an unknown one only a request id
 * does, under which the agent's log has the cause.
 */
export function toWireError(thrown: unknown, log: Logger, onUnknown: (error: unknown) => void): ConnectError {
  const error = explainFullDisk(thrown);
  if (error instanceof SvcError) return toConnectError(error);
  // Connect's own: a message that does not decode, an unknown method, a caller that went away.
  if (error instanceof ConnectError && error.code !== Code.Unknown) return error;
  const requestId = randomBytes(6).toString("hex");
  log.error({ err: error, requestId }, "a call failed unexpectedly");
  onUnknown(error);
  return toConnectError(
    new SvcError("internal", `Something went wrong in the agent; its log has request ${requestId}.`),
  );
}
