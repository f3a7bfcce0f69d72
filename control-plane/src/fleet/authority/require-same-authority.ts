import { SvcError } from "@svc/shared/errors.ts";
import { inTransaction, type Db } from "../../platform/database/database.ts";
import { ensureFact, replaceFact } from "../../platform/database/installation.store.ts";
import { hasMembers } from "../servers.store.ts";

const FACT = "fleet_authority";

/**
 * Control planes that share a database must share the authority too: an agent that joined through one is called by all
 * of them. While the fleet is empty the authority may change.
 * @param fingerprint of the authority in this process's data directory
 * @throws SvcError internal when the fleet's servers trust another authority
 */
export function requireSameAuthority(db: Db, fingerprint: string): Promise<void> {
  return inTransaction(db, async (tx) => {
    const own = Buffer.from(fingerprint, "hex");
    const held = await ensureFact(tx, FACT, own);
    if (held.equals(own)) return;
    if (await hasMembers(tx)) throw otherAuthority(fingerprint, held.toString("hex"));
    await replaceFact(tx, FACT, own);
  });
}

function otherAuthority(own: string, held: string): SvcError {
  return new SvcError(
    "internal",
    `The fleet's servers trust the authority ${held}, and the one in this data directory is ${own}. Copy the folder ` +
      "fleet/ from the data directory of the control plane that made it, or from its backup. When it is lost, remove " +
      "every server with `npm run admin -- server remove`; then the agents can join again.",
  );
}
