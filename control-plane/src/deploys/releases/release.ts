import { SvcError } from "@svc/shared/errors.ts";
import { invalid, quoted } from "../../platform/invalid.ts";

export const RELEASE_NAME_LENGTH_MAX = 128;
/** Printable characters: letters, marks, digits, signs and spaces, none that is not seen. */
export const RELEASE_NAME = /^(?! )[\p{L}\p{M}\p{N}\p{P}\p{S} ]{1,128}(?<! )$/u;

const ROLLBACK = "rollback:";
const MOVE = "move:";

/** @throws SvcError invalid_request */
export function checkReleaseName(name: string): void {
  if (RELEASE_NAME.test(name) && !name.startsWith(ROLLBACK) && !name.startsWith(MOVE)) return;
  throw invalid(
    `The release name ${quoted(name)} can't be used: give 1 to ${RELEASE_NAME_LENGTH_MAX} printable characters, ` +
      `without a space at either end, that don't begin with ${ROLLBACK} or ${MOVE}`,
  );
}

/** Names a rollback's own row, which nobody sees: unlike any name that a user can give. */
export function rollbackReleaseName(id: string): string {
  return ROLLBACK + id;
}

/** The same for a move. */
export function moveReleaseName(id: string): string {
  return MOVE + id;
}

/** The name of a deploy that was given none. @param count which one of the app's deploys it is, from 1 */
export function defaultReleaseName(count: number): string {
  return `v${count}`;
}

/** The release can't be gone back to any more. */
export function imageGone(cause?: unknown): SvcError {
  return new SvcError(
    "release_image_gone",
    "The image of this release is not on the server any more: those of the last 5 releases that served are kept. " +
      "Roll back to a newer release, or deploy the commit of this one again.",
    { cause },
  );
}

/** Which of an app's releases: the one that a deploy has made, or the one of a name. */
export type ReleaseOf = { deployId: string } | { release: string };
