import { invalid } from "../../../platform/invalid.ts";
import common from "./common-passwords.json" with { type: "json" };

/** Where they are from is said in the list; each line has many. */
const COMMON_PASSWORDS: ReadonlySet<string> = new Set(common.passwords.flatMap((line) => line.split(" ")));

/** NIST SP 800-63B-4 asks for 15 characters where a password is the only factor, and 8 beside a second one. */
const PASSWORD_LENGTH_MIN = 12;
/** More costs time to hash and makes nothing safer. */
export const PASSWORD_LENGTH_MAX = 128;

/** Refuses what is guessed first. @throws SvcError invalid_request with a sentence for the person */
export function checkPassword(password: string, email: string): void {
  const length = [...password].length;
  if (length < PASSWORD_LENGTH_MIN || length > PASSWORD_LENGTH_MAX) {
    throw invalid(`The password has ${length} characters: use ${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX}.`);
  }
  if (isCommon(password) || repeatsPiece(password) || isAddress(password, email)) {
    throw invalid("The password is among the first that are guessed. Use several words that do not belong together.");
  }
}

/** Also when only digits and signs were added to a common one. */
function isCommon(password: string): boolean {
  const lower = password.toLowerCase();
  const words = [lower, lower.replace(/[^a-z]+$/, ""), lower.replace(/^[^a-z]+/, "")];
  return words.some((word) => COMMON_PASSWORDS.has(word)) || !/[^0-9]/.test(password);
}

/** abcabcabcabc, aaaaaaaaaaaa: as easy to guess as its piece. */
function repeatsPiece(password: string): boolean {
  return /^(.{1,6})\1+$/u.test(password);
}

function isAddress(password: string, email: string): boolean {
  const [local = ""] = email.toLowerCase().split("@");
  const rest = password.toLowerCase().replace(email.toLowerCase(), "").replace(local, "");
  return rest.length < PASSWORD_LENGTH_MIN / 2 && rest.length < password.length;
}
