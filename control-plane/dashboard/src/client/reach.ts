import { Refusal } from "./refusal.ts";

/** A connection that has died answers nothing, for ever. A change may take as long as an app takes to stop. */
const READ_MS_MAX = 15_000;
const CHANGE_MS_MAX = 300_000;

/** Sends a request to the control plane. @throws Refusal unreachable, also when no answer comes in time */
export async function reach(request: Request): Promise<Response> {
  const signal = AbortSignal.timeout(request.method === "GET" ? READ_MS_MAX : CHANGE_MS_MAX);
  return fetch(request, { signal }).catch(() => {
    throw new Refusal("unreachable", "The service can't be reached. Check your connection and try again.");
  });
}
