import { inTransaction } from "../../../platform/database/database.ts";
import { insertAudit } from "../../../platform/audit.store.ts";
import { checkEmail } from "../../email.ts";
import { readUserByEmail } from "../../users.store.ts";
import { accountExistsMail, joinMail } from "../../mail/mail-text.ts";
import type { Identity } from "../identity.ts";
import { inviteToJoin } from "./invite-to-join.ts";
import { limitAttempts } from "../attempts/limit-attempts.ts";
import type { Visit } from "../sessions/session.ts";
import { requireOpenSignUp } from "./sign-up-policy.ts";

/**
 * Mails a link to join. The account is made when the link is opened, so that nobody can make one, with a password of
 * theirs, for somebody else's address.
 * @throws SvcError sign_up_closed, invalid_request, rate_limited; the same for an address that has an account
 */
export async function signUp(identity: Identity, visit: Visit, { email }: { email: string }): Promise<void> {
  checkEmail(email);
  requireOpenSignUp(identity.signUp, email);
  const { db, service, baseUrl } = identity;
  await limitAttempts(db, "mail", email);
  identity.runLater(() =>
    inTransaction(db, async (tx) => {
      const known = await readUserByEmail(tx, email);
      if (known) return identity.sendMail(tx, known.email, accountExistsMail({ service, link: `${baseUrl}/sign-in` }));
      const { link, expiresAt } = await inviteToJoin(tx, email, baseUrl);
      await insertAudit(tx, {
        actor: "system",
        action: "user.sign_up",
        target: "invitation",
        requestId: visit.requestId,
        detail: { address: visit.address },
      });
      return identity.sendMail(tx, email, joinMail({ service, link, expiresAt }));
    }),
  );
}
