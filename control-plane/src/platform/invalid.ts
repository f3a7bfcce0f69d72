import { SvcError } from "@svc/shared/errors.ts";

/** A value of the user's that breaks a rule. The sentence names the value, what is allowed, and what to do. */
export function invalid(sentence: string): SvcError {
  return new SvcError("invalid_request", sentence);
}

/** The value as a sentence may quote it: on one line and short, whatever it holds. */
export function quoted(value: string): string {
  const shown = value.length > 80 ? `${value.slice(0, 80)}…` : value;
  return JSON.stringify(shown);
}

/** Whether the text holds a control character, NUL and line ends included, or half a character, which no UTF-8 has. */
export function hasControlCharacter(text: string): boolean {
  return /\p{Cc}/u.test(text) || !text.isWellFormed();
}
