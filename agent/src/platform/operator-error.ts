import { SvcError } from "@svc/shared/errors.ts";

/**
 * Returns the error that an operator may see of a failed step. A sentence for the app's owner may quote lines of the
 * app's or the build's log behind its first line end, and those may hold secrets: they go to the owner alone, redacted
 * on the way.
 */
export function withoutQuotedLines(error: unknown): unknown {
  if (!(error instanceof SvcError) || !error.message.includes("\n")) return error;
  return new SvcError(error.code, firstLine(error.message), { cause: error.cause });
}

export function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}
