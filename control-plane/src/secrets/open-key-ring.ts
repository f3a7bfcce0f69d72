import { SvcError } from "@svc/shared/errors.ts";
import type { Db } from "../platform/database/database.ts";
import { ensureFact, readFact } from "../platform/database/installation.store.ts";
import type { KeyRing } from "../ports.ts";
import { createFileKeyRing } from "./file-key-ring.ts";
import { keyId, sealedKeyId } from "./keyring.ts";
import { createMasterKeyFile, readMasterKeys } from "./master-key-file.ts";

/** A known text, sealed at the first start: a ring that does not open it would lose every secret of the database. */
export const CANARY = { name: "master-key-canary", text: "svc", context: "installation:master-key-canary" } as const;

/**
 * The key ring of the installation, which follows its key file. That file is made only for a database that has no secrets yet.
 * @throws SvcError naming the key that the database needs, when it is not in the file
 */
export async function openKeyRing(db: Db, file: string): Promise<KeyRing> {
  const canary = await readFact(db, CANARY.name);
  const keys = readMasterKeys(file);
  if (!keys && canary) throw wrongKey(file, canary, "there is no such file");
  const held = keys ?? (await createMasterKeyFile(file));
  const keyRing = createFileKeyRing(file, held);

  const sealed = canary ?? (await ensureFact(db, CANARY.name, keyRing.seal(CANARY.text, CANARY.context)));
  if (!held.some((key) => keyId(key) === sealedKeyId(sealed))) {
    throw wrongKey(file, sealed, `it holds ${held.map(keyId).join(", ")}`);
  }
  keyRing.open(sealed, CANARY.context);
  return keyRing;
}

function wrongKey(file: string, canary: Buffer, found: string): SvcError {
  return new SvcError(
    "internal",
    `The secrets in the database need the master key ${sealedKeyId(canary)}, but of ${file}: ${found}. ` +
      "Restore that key file from a backup (SVC_MASTER_KEY_FILE names it).",
  );
}
