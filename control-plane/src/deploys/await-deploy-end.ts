import type { ErrorCode } from "@svc/shared/errors.ts";
import { isTerminal, type TerminalStatus } from "./deploy.ts";
import { readDeployEnd } from "./deploys.store.ts";
import type { OperationContext } from "../platform/operation.ts";

export interface DeployOutcome {
  status: TerminalStatus;
  error: string | null;
  errorCode: ErrorCode | null;
}

/** The slow look, for notifications that were lost. */
const POLL_MS = 2_000;

/**
 * Waits for a deploy's end, without holding a connection to the database.
 * @returns undefined when it has not ended, or is gone, after `limitMs` or when the signal aborts
 */
export async function awaitDeployEnd(
  { db, clock, notifications }: Pick<OperationContext, "db" | "clock" | "notifications">,
  deployId: string,
  { limitMs, signal }: { limitMs: number; signal?: AbortSignal },
): Promise<DeployOutcome | undefined> {
  const deadline = clock.now().getTime() + limitMs;
  let changed = new AbortController();
  const unsubscribe = notifications.subscribe("deploy_events", (id) => {
    if (id === undefined || id === deployId) changed.abort();
  });
  try {
    for (;;) {
      const end = await readDeployEnd(db, deployId);
      if (!end) return undefined;
      const { status } = end;
      if (isTerminal(status)) return { ...end, status };
      const leftMs = deadline - clock.now().getTime();
      if (leftMs <= 0 || signal?.aborted) return undefined;
      const wake = signal ? AbortSignal.any([changed.signal, signal]) : changed.signal;
      await clock.sleep(Math.min(POLL_MS, leftMs), wake).catch(() => undefined);
      changed = new AbortController();
    }
  } finally {
    unsubscribe();
  }
}
