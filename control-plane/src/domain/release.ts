import { SvcError } from "@svc/shared/errors.ts";
import { invalid, quoted } from "./invalid.ts";

/** Release names become image tags and labels, so they obey the narrowest of these rules (an image tag's). */
export const RELEASE_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/;
export const RELEASE_NAME_LENGTH_MAX = 128;

/** @throws SvcError invalid_request */
export function checkReleaseName(name: string): void {
  if (name.length > RELEASE_NAME_LENGTH_MAX || !RELEASE_NAME.test(name)) {
    throw invalid(
      `The release name ${quoted(name)} can't be used: give 1 to ${RELEASE_NAME_LENGTH_MAX} of a-z, A-Z, 0-9, _, . and -, ` +
        "beginning with a letter, digit or _.",
    );
  }
}

/** Of a rollback's own row, which nobody sees: unlike any name that a user can give. */
export function rollbackReleaseName(id: string): string {
  return `rollback:${id}`;
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
