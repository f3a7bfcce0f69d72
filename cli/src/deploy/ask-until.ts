import { setTimeout as delay } from "node:timers/promises";
import { AWAY_MS_MAX } from "../api/patient-fetch.ts";
import { CliError, EXIT } from "../output/cli-error.ts";

/**
 * Asks the service every `everyMs` until it gives an answer; one that is away is asked again.
 * @param ask undefined: not yet
 * @throws CliError unreachable after two minutes without the service
 */
export async function askUntil<T>(everyMs: number, ask: () => Promise<T | undefined>, signal: AbortSignal): Promise<T> {
  let heardAt = Date.now();
  for (;;) {
    try {
      const answer = await ask();
      if (answer !== undefined) return answer;
      heardAt = Date.now();
    } catch (error) {
      const isAway = error instanceof CliError && error.exit === EXIT.unreachable;
      if (!isAway || Date.now() - heardAt > AWAY_MS_MAX) throw error;
    }
    await delay(everyMs, undefined, { signal });
  }
}
