import { newId } from "@svc/shared/rules/ids.ts";
import type { Db } from "../../platform/database/database.ts";
import { sealContext, type KeyRing } from "../../ports.ts";
import { checkEmail } from "../email.ts";
import type { Mail } from "./mail-text.ts";
import { insertMail } from "./mails.store.ts";

/**
 * Queues a mail in the caller's transaction, so that it exists exactly if what it tells of does. Nobody waits for it to be
 * sent: how long an answer takes must not tell whether an address is known.
 * @param mail from one of the functions in mail-text.ts
 * @returns the mail's id
 * @throws SvcError invalid_request when `recipient` can't be an address
 */
export async function enqueueMail(
  { keyRing }: { keyRing: KeyRing },
  tx: Db,
  recipient: string,
  { kind, subject, text, html }: Mail,
): Promise<string> {
  checkEmail(recipient);
  const id = newId();
  const body = keyRing.seal(JSON.stringify({ subject, text, html }), sealContext.mailBody(id));
  await insertMail(tx, { id, recipient, kind, body });
  return id;
}
