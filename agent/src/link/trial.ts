import type { Clock } from "@svc/shared/platform/clock.ts";
import { SvcError } from "@svc/shared/errors.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import type { Installation } from "../platform/installation.ts";
import { confirmVersion, isOnTrial } from "./upgrade.ts";

/** A start takes some seconds, and a link one; a control plane that is started anew at the same time needs some more. */
const CALL_MS_MAX = 60_000;
/** A version goes on for so long after that: one that crashes as soon as it works is none to stay with. */
const PROOF_MS = 10_000;

interface TrialParts {
  installation: Installation;
  clock: Clock;
  log: Logger;
  signal: AbortSignal;
  /** Ends the agent: it is started again, or the version before it. */
  end(why: SvcError): void;
}

/**
 * A version that was just installed stays once a control plane has called it and it has gone on for 10 s, and ends when none has within
 * a minute: see deploy/agent/run-agent.sh. Begins before all that may hang.
 */
export async function beginTrial({ installation, clock, log, signal, end }: TrialParts): Promise<{ called(): void }> {
  if (!(await isOnTrial(installation))) return { called: () => undefined };
  const isCalled = new AbortController();
  void clock.sleep(CALL_MS_MAX, AbortSignal.any([signal, isCalled.signal])).then(
    () => end(neverCalled(installation)),
    () => undefined,
  );
  async function confirm(): Promise<void> {
    await clock.sleep(PROOF_MS, signal);
    await confirmVersion(installation);
    log.info({ version: installation.version }, "the new version of the agent has proven itself");
  }
  return {
    called() {
      if (isCalled.signal.aborted) return;
      isCalled.abort();
      confirm().catch((err: unknown) => {
        if (!signal.aborted) log.error({ err }, "the new version could not be confirmed: the one before may come back");
      });
    },
  };
}

function neverCalled({ version }: Installation): SvcError {
  return new SvcError(
    "agent_away",
    `No control plane has called the agent's new version ${version} within ${CALL_MS_MAX / 1000} s.`,
  );
}
