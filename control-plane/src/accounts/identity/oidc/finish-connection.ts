import { inTransaction } from "../../../platform/database/database.ts";
import { providerChangedMail } from "../../mail/mail-text.ts";
import { auditPerson } from "../audit-person.ts";
import type { Identity } from "../identity.ts";
import { lockPerson } from "../people.store.ts";
import type { Visit } from "../sessions/session.ts";
import { isOpenSession } from "../sessions/sessions.store.ts";
import { insertConnection, readConnectedUser, readConnections } from "./connections.store.ts";
import type { ProvenSubject } from "./provider-client.ts";
import type { OidcProvider } from "./provider.ts";
import { Refused, type Landing } from "./refused.ts";

/**
 * Connects the provider to the account of whoever began it, and tells them by mail.
 * @param parts.userId who began it
 * @throws Refused also when their session has ended meanwhile
 */
export async function finishConnection(
  identity: Identity,
  visit: Visit,
  parts: { provider: OidcProvider; proven: ProvenSubject; userId: string; page: string },
): Promise<Landing> {
  const { provider, proven, userId, page } = parts;
  const { session } = visit;
  if (session?.userId !== userId) throw new Refused("signed_out");
  const subject = { issuer: provider.issuer, subject: proven.subject };
  await inTransaction(identity.db, async (tx) => {
    const person = await lockPerson(tx, userId);
    // The provider took its time: a new password may have ended the session since it was read.
    if (!person || !(await isOpenSession(tx, userId, session.sessionId))) throw new Refused("signed_out");
    if ((await readConnectedUser(tx, subject)) === userId) return;
    const connections = await readConnections(tx, userId);
    if (connections.some(({ issuer }) => issuer === provider.issuer)) throw new Refused("expired");
    if (!(await insertConnection(tx, userId, subject))) throw new Refused("connected_elsewhere");
    const { id, issuer } = provider;
    await auditPerson(tx, visit, userId, { action: "provider.connect", detail: { provider: id, issuer } });
    const mail = providerChangedMail({ service: identity.service, provider: provider.name, isOn: true });
    await identity.sendMail(tx, person.email, mail);
  });
  return { location: page, cookies: [] };
}
