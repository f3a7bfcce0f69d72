import { SvcError } from "@svc/shared/errors.ts";
import { takeBucketToken } from "./rate-buckets.store.ts";
import { retryAfterSeconds, type RequestKind } from "./rate.ts";
import { tierOf } from "./tier.ts";
import type { OperationContext } from "../platform/operation.ts";

const VERBS = { writes: "change things", reads: "read" } as const satisfies Record<RequestKind, string>;

/**
 * Counts one request of the caller, where the tier limits its kind.
 * @throws SvcError rate_limited
 */
export async function takeToken(ctx: OperationContext, kind: RequestKind, tier: string): Promise<void> {
  const rate = tierOf(ctx.platform.tiers, tier)[kind];
  if (!rate) return;
  const missing = await takeBucketToken(ctx.db, kind, ctx.actor.userId, rate);
  if (missing === 0) return;
  const seconds = retryAfterSeconds(missing, rate);
  throw new SvcError(
    "rate_limited",
    `You may ${VERBS[kind]} ${rate.perMinute} times a minute, ${rate.burst} times at once. Try again in ${seconds} s.`,
    { retryAfterSeconds: seconds },
  );
}
