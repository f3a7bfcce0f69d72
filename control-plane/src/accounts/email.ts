import { invalid, quoted, withoutUnseen } from "../platform/invalid.ts";

/** RFC 5321's limit of a path. */
const LENGTH_MAX = 254;

/** PostgreSQL puts these letters in lower case in another way than JavaScript: U+0130 is an i there, and so another address. */
const COMPARED_IN_TWO_WAYS = /[\u0130\u03a3]/;

/** Refuses what can't be an address; whether it is one is proven by a mail. @throws SvcError invalid_request */
export function checkEmail(email: string): void {
  if (!isEmail(email)) throw invalid(`${quoted(email)} is not an e-mail address such as ada@example.com.`);
}

/** Whether it can be an address. */
export function isEmail(email: string): boolean {
  // What isn't normal may be another mailbox that is compared as the same one: U+212A is a k in lower case.
  const isNormal = email.isWellFormed() && email === email.normalize("NFC") && !COMPARED_IN_TWO_WAYS.test(email);
  return (
    isNormal &&
    withoutUnseen(email) === email &&
    email.length <= LENGTH_MAX &&
    /^[^\s@"<>]+@[^\s@"<>]+\.?[^\s@"<>]*$/u.test(email)
  );
}
