import type { DeviceCode, PollAnswer } from "../../api/device-flow.ts";
import { AWAY_MS_MAX } from "../../api/patient-fetch.ts";
import { CliError, EXIT } from "../../output/cli-error.ts";

/** The interval becomes so much longer each time that the service asks for it (RFC 8628, section 3.5). */
const SLOWER_MS = 5_000;
/** A timer may end a moment early, which the service would take for a poll too soon. */
const TIMER_MS = 100;

export interface Wait {
  /** @throws when the user leaves */
  pause(ms: number): Promise<void>;
  /** Milliseconds, of a clock that is never set. */
  now(): number;
}

/**
 * Polls until the person has answered.
 * @throws CliError access_denied; expired_token; unreachable or internal after two minutes without the service
 */
export async function waitForKey(
  poll: () => Promise<PollAnswer>,
  { intervalSeconds, expiresInSeconds }: Pick<DeviceCode, "intervalSeconds" | "expiresInSeconds">,
  wait: Wait,
): Promise<PollAnswer & { state: "approved" }> {
  const deadline = wait.now() + expiresInSeconds * 1000;
  let intervalMs = intervalSeconds * 1000 + TIMER_MS;
  let heardAt = wait.now();
  while (wait.now() < deadline) {
    await wait.pause(intervalMs);
    try {
      const answer = await poll();
      heardAt = wait.now();
      if (answer.state === "approved") return answer;
      if (answer.state === "slow_down") intervalMs += SLOWER_MS;
    } catch (error) {
      const isAway = error instanceof CliError && (error.exit === EXIT.unreachable || error.code === "internal");
      if (!isAway || wait.now() - heardAt > AWAY_MS_MAX) throw error;
    }
  }
  throw new CliError(
    "expired_token",
    "Nobody approved the login in time. `svc login` begins again.",
    EXIT.unauthenticated,
  );
}
