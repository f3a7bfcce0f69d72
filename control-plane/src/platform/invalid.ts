import { SvcError } from "@svc/shared/errors.ts";

/** A value of the user's that breaks a rule. The sentence names the value, what is allowed, and what to do. */
export function invalid(sentence: string): SvcError {
  return new SvcError("invalid_request", sentence);
}

/** The value as a sentence may quote it: on one line and short, whatever it holds. */
export function quoted(value: string): string {
  const shown = value.length > 80 ? `${value.slice(0, 80)}…` : value;
  return JSON.stringify(shown).replaceAll(
    DIRECTIONS,
    (mark) => `\\u${mark.codePointAt(0)!.toString(16).padStart(4, "0")}`,
  );
}

/** Turn the direction of what follows them, so that a name reads as another one (Unicode Standard Annex 9, section 2). */
const DIRECTIONS = /\p{Bidi_Control}/gu;

/** Characters without a look of their own: controls, spaces, letters and marks that fill a place, the empty Braille pattern. */
const UNSEEN = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]+/gu;

/** The text with `by` in the place of characters that nobody sees. */
export function withoutUnseen(text: string, by = ""): string {
  return text.replaceAll(UNSEEN, by);
}

/**
 * Whether the text holds what no line of text has: a control character, NUL and line ends included, one that turns the
 * direction of writing, or half a character, which no UTF-8 has.
 */
export function hasControlCharacter(text: string): boolean {
  return /\p{Cc}/u.test(text) || text.search(DIRECTIONS) >= 0 || !text.isWellFormed();
}
