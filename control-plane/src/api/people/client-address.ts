import type { Context } from "hono";

/** As Node's server hands a request over; a test has no socket. */
interface NodeBindings {
  incoming?: { socket?: { remoteAddress?: string } };
}

const LOOPBACK = /^(127\.|::1$)/;

/**
 * Finds the client's address. A proxy on this machine says who asked it, as the last entry of X-Forwarded-For; from anybody
 * else the header is worth nothing.
 */
export function clientAddress(c: Context): string {
  const { incoming } = (c.env ?? {}) as NodeBindings;
  const peer = incoming?.socket?.remoteAddress?.replace(/^::ffff:/i, "") ?? "unknown";
  if (!LOOPBACK.test(peer)) return peer;
  const forwarded = c.req.header("X-Forwarded-For")?.split(",").at(-1)?.trim();
  return forwarded && /^[0-9a-fA-F.:]{2,45}$/.test(forwarded) ? forwarded : peer;
}
