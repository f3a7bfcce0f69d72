import { z } from "zod";
import { hasControlCharacter, withoutUnseen } from "../../platform/invalid.ts";
import { PASSWORD_LENGTH_MAX } from "./passwords/password-rules.ts";
import { PERSON_NAME_LENGTH_MAX } from "./people.store.ts";

export const email = z.string().max(254, "an address has at most 254 characters.");
// A character may be two units of a string's length; the rules of a new password count characters.
export const password = z.string().max(2 * PASSWORD_LENGTH_MAX, `it has at most ${PASSWORD_LENGTH_MAX} characters.`);
export const token = z.string().max(100, "it is not the token of a link.");
export const code = z.string().max(40, "it is not a code.");
/** What shows that the owner is there: what they have of it. */
export const proof = z.strictObject({ password: password.optional(), code: code.optional() });
export const redirectTo = z.string().max(2_000, "it has at most 2000 characters.").optional();
export const name = nameOf(PERSON_NAME_LENGTH_MAX);

/** A name that a person chooses: one line of text, without spaces around it. */
export function nameOf(lengthMax: number) {
  return z
    .string()
    .trim()
    .refine((text) => withoutUnseen(text) !== "", "enter a name.")
    .max(lengthMax, `it has at most ${lengthMax} characters.`)
    .refine(
      (text) => !hasControlCharacter(text),
      "it must be one line of text, without characters that turn the direction of writing.",
    );
}
