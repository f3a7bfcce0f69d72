import { reportFailure } from "./terminal.mjs";

/** The error of a part that was told to begin nothing more: another part has the reason. */
const STOPPED = new Error("Another part has failed.");

/**
 * Runs all of them at once. After a failure the others are told to begin nothing more (the signal's `throwIfAborted` ends
 * a part between two of its steps), and what is under way is waited for: the reasons are the last thing on the terminal.
 *
 * @param {readonly ((stop: AbortSignal) => Promise<void>)[]} parts that need nothing of each other
 * @param {AbortSignal} [stopAll] of whoever runs this as a part
 * @throws the failure of the first part that failed; those of others are reported
 */
export async function atOnce(parts, stopAll) {
  const failing = new AbortController();
  if (stopAll?.aborted) throw STOPPED;
  stopAll?.addEventListener("abort", () => failing.abort(STOPPED), { once: true });
  const ends = await Promise.allSettled(
    parts.map((part) =>
      part(failing.signal).catch((error) => {
        failing.abort(STOPPED);
        throw error;
      }),
    ),
  );
  // Parts that wait for the same thing have one reason.
  const reasons = new Set(ends.filter((end) => end.status === "rejected").map((end) => end.reason));
  const [first, ...others] = [...reasons].filter((reason) => reason !== STOPPED);
  others.forEach(reportFailure);
  if (reasons.size > 0) throw first ?? STOPPED;
}
