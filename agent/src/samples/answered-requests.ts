import { latencyBucket } from "@svc/shared/rules/metrics/latency-buckets.ts";

/** The answers of the proxy for an app in a window. */
export interface AnsweredRequests {
  requests: number;
  /** With a status of 400 to 499. */
  clientErrors: number;
  /** With a status of 500 and more. */
  errors: number;
  /** By bucket (latency-buckets.ts), without zeros at the end. */
  latencyCounts: number[];
}

export function noRequests(): AnsweredRequests {
  return { requests: 0, clientErrors: 0, errors: 0, latencyCounts: [] };
}

/** Counts one more. */
export function countRequest(
  counted: AnsweredRequests,
  { status, seconds }: { status: number; seconds: number },
): void {
  counted.requests += 1;
  if (status >= 500) counted.errors += 1;
  else if (status >= 400) counted.clientErrors += 1;
  const { latencyCounts } = counted;
  const bucket = latencyBucket(seconds * 1000);
  while (latencyCounts.length <= bucket) latencyCounts.push(0);
  latencyCounts[bucket]! += 1;
}
