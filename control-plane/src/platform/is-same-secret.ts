import { timingSafeEqual } from "node:crypto";

/** Compares in a time that tells nothing of the text that is wanted, but for its length. */
export function isSameSecret(want: string, given: string): boolean {
  const [left, right] = [Buffer.from(want), Buffer.from(given)];
  return left.length === right.length && timingSafeEqual(left, right);
}
