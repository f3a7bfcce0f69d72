import type { Clock } from "@svc/shared/platform/clock.ts";
import { readKeyOwner, type KeyOwner } from "./api-keys.store.ts";
import type { Db } from "../../platform/database/database.ts";
import type { Notifications } from "../../ports.ts";

/** The owners of keys, by the keys' hashes. */
export interface KeyOwners {
  /** Reads an owner that may be up to a notification old: for requests that change nothing. */
  read(hash: Buffer): Promise<KeyOwner | undefined>;
  /** Reads the owner as the database has it now. */
  readNow(hash: Buffer): Promise<KeyOwner | undefined>;
  /** Is called when any key, or any owner, may have changed. Returns the unsubscribe function. */
  onChange(listener: () => void): () => void;
}

/**
 * A client that asks many times a second saves a query each time; and a connection that is broken without having been
 * noticed keeps a revoked key alive no longer than this.
 */
const KNOWN_MS_MAX = 1_000;
/** Some 500 bytes each. */
const KNOWN_MAX = 2_000;

/**
 * Remembers the owners of valid keys for a moment. Any change of a key or a user, made by whichever process, makes it forget
 * all of them (trigger `notify_credentials`); it remembers nothing while it would not hear of one.
 */
export function createKeyOwners({
  db,
  notifications,
  clock,
}: {
  db: Db;
  notifications: Notifications;
  clock: Clock;
}): KeyOwners {
  const known = new Map<string, { owner: KeyOwner; until: number }>();
  /** Look-ups under way: all streams of a key ask at once when any key was changed. */
  const asked = new Map<string, Promise<KeyOwner | undefined>>();
  /** Counts changes: what was read before one may be what it changed. */
  let changes = 0;
  // Also called after a reconnect, when a change may have been missed.
  notifications.subscribe("credentials", () => {
    changes += 1;
    known.clear();
    asked.clear();
  });

  const readNow = (hash: Buffer) => readKeyOwner(db, hash);

  async function ask(hash: Buffer, id: string): Promise<KeyOwner | undefined> {
    const changesBefore = changes;
    const readAt = clock.now().getTime();
    const owner = await readNow(hash);
    known.delete(id);
    if (!owner || !notifications.listening || changes !== changesBefore) return owner;
    if (known.size >= KNOWN_MAX) known.clear();
    // Its last use is noted by the request that reads it.
    const remember = { ...owner, lastUseIsOld: false };
    known.set(id, { owner: remember, until: readAt + Math.min(KNOWN_MS_MAX, owner.expiresInMs) });
    return owner;
  }

  return {
    readNow,
    onChange: (listener) => notifications.subscribe("credentials", listener),
    async read(hash) {
      if (!notifications.listening) return readNow(hash);
      const id = hash.toString("base64");
      const remembered = known.get(id);
      if (remembered && clock.now().getTime() < remembered.until) return remembered.owner;

      const begun = asked.get(id);
      // The request that began the look-up notes the key's use.
      if (begun) return begun.then((owner) => owner && { ...owner, lastUseIsOld: false });
      const asking = ask(hash, id).finally(() => {
        if (asked.get(id) === asking) asked.delete(id);
      });
      asked.set(id, asking);
      return asking;
    },
  };
}
