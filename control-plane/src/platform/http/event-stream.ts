import { OF_SOMEBODY } from "./answer.ts";

/** Headers of an answer that is a stream of server-sent events. */
export const EVENT_STREAM_HEADERS = {
  ...OF_SOMEBODY,
  "Content-Type": "text/event-stream",
  // Proxies of the nginx family would otherwise hold events back.
  "X-Accel-Buffering": "no",
};
