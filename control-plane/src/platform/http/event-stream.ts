/** Headers of an answer that is a stream of server-sent events. */
export const EVENT_STREAM_HEADERS = {
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-store",
  // Proxies of the nginx family would otherwise hold events back.
  "X-Accel-Buffering": "no",
};
