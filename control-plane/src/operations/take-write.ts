import { SvcError } from "@svc/shared/errors.ts";
import { takeWriteToken } from "../db/write-buckets.ts";
import { tierOf } from "../domain/tier.ts";
import { retryAfterSeconds } from "../domain/write-rate.ts";
import type { OperationContext } from "./context.ts";

/**
 * Counts one write of the caller (specification, Limits: Write rate; decisions, What costs a write token).
 * @throws SvcError rate_limited
 */
export async function takeWrite(ctx: OperationContext, tier: string): Promise<void> {
  const { writes } = tierOf(ctx.platform.tiers, tier);
  const missing = await takeWriteToken(ctx.db, ctx.actor.userId, writes);
  if (missing === 0) return;
  const seconds = retryAfterSeconds(missing, writes);
  throw new SvcError(
    "rate_limited",
    `You may change things ${writes.perMinute} times a minute, ${writes.burst} times at once. Try again in ${seconds} s.`,
    { retryAfterSeconds: seconds },
  );
}
