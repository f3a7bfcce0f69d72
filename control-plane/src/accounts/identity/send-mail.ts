import type { Logger } from "@svc/shared/platform/logger.ts";
import type { Db } from "../../platform/database/database.ts";

/**
 * join: sets name and password. verify: proves the address. reset: sets a new password. exists: tells somebody who
 * signed up again that there is an account; its link leads to the sign-in page.
 */
export type MailKind = "join" | "verify" | "reset" | "exists";

export interface Mail {
  kind: MailKind;
  to: string;
  /** Starts with {base_url}; holds a secret in its fragment, so it belongs in no log. */
  link: string;
}

/**
 * Queues a mail. It is called in the transaction `db` that makes the mail's link, so that neither exists without the
 * other; it must not wait for a mail server.
 */
export type SendMail = (mail: Mail, db: Db) => Promise<void>;

/** Sends nothing, and logs which kind of mail it was. */
export function logMails(log: Logger): SendMail {
  return async ({ kind }) => log.warn({ kind }, "a mail was not sent: sending is not configured");
}
