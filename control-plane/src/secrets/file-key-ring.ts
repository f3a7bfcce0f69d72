import { statSync } from "node:fs";
import type { KeyRing } from "../ports.ts";
import { createKeyRing } from "./keyring.ts";
import { readMasterKeys } from "./master-key-file.ts";

/**
 * The ring of a key file, as the file is at the moment: `secrets rotate` replaces it while control planes run, and from
 * then on they must open what the new key has sealed, and seal with it. A look at the file costs microseconds. One that
 * can't be read any more leaves the keys that were read before.
 */
export function createFileKeyRing(file: string, keys: readonly Buffer[]): KeyRing {
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
