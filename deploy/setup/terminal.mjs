/** The setup's words to the person at the terminal. Plain lines on standard error, which a pipe keeps apart. */

/** @param {string} line */
export function say(line) {
  process.stderr.write(`${line}\n`);
}

/** A failure that the person at the terminal can act on: what failed, why, and what to do. */
export class SetupError extends Error {
  /** @override */
  name = "SetupError";

  /**
   * @param {string} what what failed
   * @param {string} why
   * @param {string} remedy what to do
   */
  constructor(what, why, remedy) {
    super(`${what}\n  Why: ${why}\n  What to do: ${remedy}`);
  }
}

/**
 * Says why the program ends and sets its exit status to 1. Only what is not a SetupError is shown with its stack.
 *
 * @param {unknown} error
 */
export function reportFailure(error) {
  if (error instanceof SetupError) say(`\n${error.message}`);
  else say(`\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  process.exitCode = 1;
}
