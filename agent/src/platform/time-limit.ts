import type { SvcError } from "@svc/shared/errors.ts";

/** A signal that aborts with this reason after so many seconds, unless it is cleared. */
export function timeLimit(seconds: number, reason: SvcError): { signal: AbortSignal; clear: () => void } {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(reason), seconds * 1000);
  return { signal: controller.signal, clear: () => clearTimeout(timer) };
}
