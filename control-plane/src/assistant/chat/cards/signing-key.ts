import { randomBytes } from "node:crypto";
import { ensureFact } from "../../../platform/database/installation.store.ts";
import type { Db } from "../../../platform/database/database.ts";
import { sealContext, type KeyRing } from "../../../ports.ts";
import type { CardKeys } from "./card-view.ts";

/** Every process of the installation has the same key; it lies sealed in the database. */
export async function openCardKeys(db: Db, keyRing: KeyRing): Promise<CardKeys> {
  const fresh = keyRing.seal(randomBytes(32).toString("base64"), sealContext.cardKey());
  const sealed = await ensureFact(db, "card-key", fresh);
  return { keyRing, signing: Buffer.from(keyRing.open(sealed, sealContext.cardKey()), "base64") };
}
