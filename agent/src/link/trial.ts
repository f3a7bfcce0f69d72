import type { Clock } from "@svc/shared/platform/clock.ts";
import { SvcError } from "@svc/shared/errors.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import type { Installation } from "../platform/installation.ts";
import { confirmVersion, isOnTrial } from "./upgrade.ts";

/** A link takes a second; a control plane that is started anew at the same time needs some more. */
const LINK_MS_MAX = 60_000;

interface TrialParts {
  installation: Installation;
  clock: Clock;
  log: Logger;
  signal: AbortSignal;
  /** Ends the agent: it is started again, or the version before it. */
  end(why: SvcError): void;
}

/** A version that was just installed stays once it is linked, and ends when it is not: see deploy/agent/run-agent.sh. */
export async function beginTrial({ installation, clock, log, signal, end }: TrialParts): Promise<{ linked(): void }> {
  const proven = new AbortController();
  if (await isOnTrial(installation)) {
    const over = AbortSignal.any([signal, proven.signal]);
    void clock.sleep(LINK_MS_MAX, over).then(
      () => end(notLinked(installation)),
      () => undefined,
    );
  }
  return {
    linked() {
      if (proven.signal.aborted) return;
      proven.abort();
      confirmVersion(installation).catch((err: unknown) =>
        log.error({ err }, "versions of before are not removed yet"),
      );
    },
  };
}

function notLinked({ version }: Installation): SvcError {
  return new SvcError(
    "agent_away",
    `The agent's new version ${version} was not linked to a control plane within ${LINK_MS_MAX / 1000} s.`,
  );
}
