import type { Interceptor } from "@connectrpc/connect";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { peerKey } from "./peer.ts";
import { toWireError } from "./errors.ts";

/** Is called often by machines; their failures are logged all the same. */
const QUIET_METHODS: ReadonlySet<string> = new Set([
  "RenewLock",
  "Check",
  "GetStatus",
  "Watch",
  "ServerReflectionInfo",
]);

/** One log event a call, and nothing but known errors on the wire. */
export function observeCalls(log: Logger, onUnknown: (error: unknown) => void): Interceptor {
  return (next) => async (request) => {
    const started = performance.now();
    const call = { method: request.method.name, peer: request.contextValues.get(peerKey) };
    const ended = (error?: unknown): void => {
      const event = { ...call, ms: Math.round(performance.now() - started) };
      if (error !== undefined) log.info({ ...event, outcome: describe(error) }, "call");
      else log[QUIET_METHODS.has(call.method) ? "debug" : "info"]({ ...event, outcome: "ok" }, "call");
    };
    const fail = (error: unknown): Error => {
      const wire = toWireError(error, log, onUnknown);
      ended(wire);
      return wire;
    };
    try {
      const response = await next(request);
      if (!response.stream) {
        ended();
        return response;
      }
      return { ...response, message: observed(response.message, ended, fail) };
    } catch (error) {
      throw fail(error);
    }
  };
}

async function* observed<T>(messages: AsyncIterable<T>, ended: () => void, fail: (error: unknown) => Error) {
  try {
    yield* messages;
  } catch (error) {
    throw fail(error);
  }
  ended();
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
