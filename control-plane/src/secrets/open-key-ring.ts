import { statSync } from "node:fs";
import { SvcError } from "@svc/shared/errors.ts";
import type { Db } from "../platform/database/database.ts";
import { ensureFact, readFact } from "../platform/database/installation.store.ts";
import type { KeyRing } from "../ports.ts";
import { createKeyRing, keyId, sealedKeyId } from "./keyring.ts";
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

/**
 * The ring of a key file, as the file is at the moment: `secrets rotate` replaces it while control planes run, and from
 * then on they must open what the new key has sealed, and seal with it. A look at the file costs microseconds. One that
 * can't be read any more leaves the keys that were read before.
 */
function createFileKeyRing(file: string, keys: readonly Buffer[]): KeyRing {
  let ring = createKeyRing(keys);
  let seen: string | undefined;

  function current(): KeyRing {
    const now = stampOf(file);
    if (now === seen) return ring;
    try {
      const fresh = readMasterKeys(file);
      if (fresh) ring = createKeyRing(fresh);
    } catch {
      // A value that needs a key of it says so in its own error.
    }
    seen = now;
    return ring;
  }

  return {
    seal: (plaintext, context) => current().seal(plaintext, context),
    open: (sealed, context) => current().open(sealed, context),
  };
}

/** Differs for every file that was ever put there. */
function stampOf(file: string): string | undefined {
  const stats = statSync(file, { throwIfNoEntry: false, bigint: true });
  return stats && `${stats.ino} ${stats.mtimeNs} ${stats.ctimeNs} ${stats.size}`;
}
