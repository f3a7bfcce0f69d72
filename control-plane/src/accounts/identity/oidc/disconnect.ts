import { SvcError } from "@svc/shared/errors.ts";
import { inTransaction } from "../../../platform/database/database.ts";
import { invalid } from "../../../platform/invalid.ts";
import { providerChangedMail } from "../../mail/mail-text.ts";
import { auditPerson } from "../audit-person.ts";
import type { Identity } from "../identity.ts";
import { proveOwner } from "../passwords/prove-owner.ts";
import type { Session, Visit } from "../sessions/session.ts";
import { deleteSessions } from "../sessions/sessions.store.ts";
import { deleteVerifications } from "../verifications.store.ts";
import { deleteConnection, readConnections } from "./connections.store.ts";
import { providerName } from "./list-connections.ts";

/**
 * Disconnects a provider from the caller's account. Other sessions end, which may be of whoever has the account there.
 * @throws SvcError not_found; invalid_request for the last way in; credentials_invalid, rate_limited
 */
export async function disconnect(
  identity: Identity,
  visit: Visit,
  session: Session,
  { id, password }: { id: string; password: string | undefined },
): Promise<void> {
  const { db, oidc, service } = identity;
  const lockOwner = await proveOwner(identity, session, password);
  await inTransaction(db, async (tx) => {
    const person = await lockOwner(tx);
    const connections = await readConnections(tx, person.id);
    const connection = connections.find((each) => each.id === id);
    if (!connection) throw new SvcError("not_found", "You have no such connection. Load the page again.");
    // One at a provider that is not configured any more lets nobody in.
    const others = connections.filter((each) => each !== connection && oidc.providers.some(isOf(each)));
    if (person.passwordHash === null && others.length === 0) {
      throw invalid(
        'Your account would have neither a password nor a provider. Set a password first, with "Forgot your password?" on the page Sign in.',
      );
    }
    await deleteConnection(tx, person.id, connection.id);
    await deleteVerifications(tx, "second-factor", person.id);
    const ended = await deleteSessions(tx, person.id, session.sessionId);
    const provider = providerName(identity.oidc, connection.issuer);
    const detail = { issuer: connection.issuer, ended_sessions: ended };
    await auditPerson(tx, visit, person.id, { action: "provider.disconnect", detail });
    await identity.sendMail(tx, person.email, providerChangedMail({ service, provider, isOn: false }));
  });
}

const isOf =
  ({ issuer }: { issuer: string }) =>
  (provider: { issuer: string }) =>
    provider.issuer === issuer;
