import { SvcError } from "@svc/shared/errors.ts";
import { isId } from "@svc/shared/rules/ids.ts";
import { inTransaction } from "../../../platform/database/database.ts";
import { factorChangedMail } from "../../mail/mail-text.ts";
import { auditPerson } from "../audit-person.ts";
import type { Identity } from "../identity.ts";
import { proveOwnerFully, type Proof } from "../passwords/prove-owner.ts";
import type { Session, Visit } from "../sessions/session.ts";
import { deletePasskey, writePasskeyName } from "./passkeys.store.ts";

/** Gives a passkey of the caller's another name. @throws SvcError not_found */
export async function renamePasskey(
  { db }: Identity,
  visit: Visit,
  { userId }: Session,
  { id, name }: { id: string; name: string },
): Promise<void> {
  await inTransaction(db, async (tx) => {
    if (!isId(id) || !(await writePasskeyName(tx, userId, id, name))) throw noSuchPasskey();
    await auditPerson(tx, visit, userId, { action: "passkey.rename", target: `passkey:${id}` });
  });
}

/** Refuses a passkey of the caller's from now on; sessions that it has opened go on. @throws SvcError credentials_invalid, not_found, rate_limited */
export async function removePasskey(
  identity: Identity,
  visit: Visit,
  session: Session,
  { id, proof }: { id: string; proof: Proof },
): Promise<void> {
  const { service } = identity;
  const lockOwner = await proveOwnerFully(identity, session, proof);
  await inTransaction(identity.db, async (tx) => {
    const person = await lockOwner(tx);
    const name = isId(id) ? await deletePasskey(tx, person.id, id) : undefined;
    if (name === undefined) throw noSuchPasskey();
    await auditPerson(tx, visit, person.id, { action: "passkey.remove", target: `passkey:${id}` });
    await identity.sendMail(tx, person.email, factorChangedMail({ service, factor: "passkey", isOn: false, name }));
  });
}

function noSuchPasskey(): SvcError {
  return new SvcError("not_found", "You have no passkey with this id.");
}
