import { randomUUID } from "node:crypto";

/** A UUID v7 (RFC 9562): ordered by time, so that new rows land at the end of an index. */
export function newId(now: Date = new Date()): string {
  const time = now.getTime().toString(16).padStart(12, "0");
  // The part after the version has the layout and randomness of a version 4, of which Node makes many at once.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function isId(value: string): boolean {
  return UUID.test(value);
}
