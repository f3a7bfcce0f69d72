import { stat } from "node:fs/promises";
import { sql } from "kysely";
import type { Clock } from "@svc/shared/platform/clock.ts";
import { SvcError } from "@svc/shared/errors.ts";
import type { Db } from "../platform/database/database.ts";
import { readFact, replaceFact } from "../platform/database/installation.store.ts";
import {
  countValuesByKey,
  readValuesOfOtherKeys,
  replaceSealedValue,
  SEALED_COLUMNS,
} from "../platform/database/sealed-values.ts";
import type { KeyRing } from "../ports.ts";
import { createKeyRing, keyId, sealedKeyId } from "./keyring.ts";
import { makeMasterKey, readMasterKeys, replaceMasterKeys } from "./master-key-file.ts";
import { CANARY, openKeyRing } from "./open-key-ring.ts";

export interface Rotation {
  /** Id of the key that has sealed every value now. */
  key: string;
  /** False when an earlier rotation had made it. */
  made: boolean;
  /** Values that were sealed anew by this call. */
  resealed: number;
  /** The other keys of the file, and how many values still need each. */
  oldKeys: { id: string; inUse: number }[];
  /** Ids of keys that were removed from the file. */
  dropped: string[];
}

export interface RotationOptions {
  db: Db;
  file: string;
  clock: Clock;
  /** Makes no key; removes the old ones that nothing needs any more. */
  dropOld: boolean;
}

/** "secr": only one rotation at a time. */
const ROTATION_LOCK = 0x73656372;

/** Some 4 MB in memory when every value is a release's whole environment. */
const BATCH_SIZE = 50;

/** A control plane that has sealed a value with an old key has written it long before; its transactions end within one minute. */
const DROP_AFTER_MS = 5 * 60_000;

/**
 * Makes a new master key and seals every value with it. The key is on disk before the first value needs it, and the canary
 * follows last: whoever finds an older one there goes on with the newest key instead of making another. So it may be
 * killed at any point, and control planes may run meanwhile.
 * @throws SvcError when the file does not fit the database, a value can't be opened, or another rotation runs
 */
export async function rotateSecrets({ db, file, clock, dropOld }: RotationOptions): Promise<Rotation> {
  return alone(db, async (connection) => {
    await openKeyRing(connection, file);
    let keys = readMasterKeys(file) ?? [];
    const made = !dropOld && (await isFinished(connection, keys));
    if (made) {
      keys = [makeMasterKey(), ...keys];
      await replaceMasterKeys(file, keys);
    }
    const resealed = await resealAll(connection, keys);
    const oldKeys = await usageOf(connection, keys.slice(1));
    const dropped = dropOld ? await dropUnused({ file, clock, keys, oldKeys }) : [];
    return {
      key: idOf(keys[0]),
      made,
      resealed,
      oldKeys: oldKeys.filter(({ id }) => !dropped.includes(id)),
      dropped,
    };
  });
}

/** Holds a lock that ends with its connection, so that a killed rotation leaves none. */
async function alone<T>(db: Db, work: (connection: Db) => Promise<T>): Promise<T> {
  return db.connection().execute(async (connection) => {
    const { rows } = await sql<{ locked: boolean }>`select pg_try_advisory_lock(${ROTATION_LOCK}) as locked`.execute(
      connection,
    );
    if (!rows[0]?.locked) {
      throw new SvcError("internal", "Another rotation of the secrets runs: wait until it has ended.");
    }
    try {
      return await work(connection);
    } finally {
      await sql`select pg_advisory_unlock(${ROTATION_LOCK})`.execute(connection);
    }
  });
}

async function isFinished(db: Db, keys: readonly Buffer[]): Promise<boolean> {
  const canary = await readFact(db, CANARY.name);
  return canary !== undefined && sealedKeyId(canary) === idOf(keys[0]);
}

async function resealAll(db: Db, keys: readonly Buffer[]): Promise<number> {
  const keyRing = createKeyRing(keys);
  const newest = idOf(keys[0]);
  // Each value is a statement of its own, so that no request waits for a batch; the canary's commit makes all durable.
  await sql`set synchronous_commit to off`.execute(db);
  let resealed = 0;
  for (const place of SEALED_COLUMNS) {
    for (;;) {
      const batch = await readValuesOfOtherKeys(db, place, newest, BATCH_SIZE);
      for (const value of batch) {
        const context = place.contextOf(...value.keys);
        const plaintext = openNamed(keyRing, value.sealed, context);
        await replaceSealedValue(db, place, value, keyRing.seal(plaintext, context));
      }
      resealed += batch.length;
      if (batch.length < BATCH_SIZE) break;
    }
  }
  await sql`set synchronous_commit to on`.execute(db);
  await replaceFact(db, CANARY.name, keyRing.seal(CANARY.text, CANARY.context));
  return resealed;
}

function openNamed(keyRing: KeyRing, sealed: Buffer, context: string): string {
  try {
    return keyRing.open(sealed, context);
  } catch (cause) {
    const reason = cause instanceof SvcError ? cause.message : "It can't be opened.";
    throw new SvcError("internal", `The rotation stopped at the value ${context}: ${reason} No key was dropped.`, {
      cause,
    });
  }
}

async function usageOf(db: Db, keys: readonly Buffer[]): Promise<Rotation["oldKeys"]> {
  const counts = await countValuesByKey(db);
  return keys.map((key) => ({ id: keyId(key), inUse: counts.get(keyId(key)) ?? 0 }));
}

/** @throws SvcError when the newest key is too young to be sure that nobody uses an older one */
async function dropUnused(options: {
  file: string;
  clock: Clock;
  keys: readonly Buffer[];
  oldKeys: Rotation["oldKeys"];
}): Promise<string[]> {
  const { file, clock, keys, oldKeys } = options;
  const unused = oldKeys.filter(({ inUse }) => inUse === 0).map(({ id }) => id);
  if (unused.length === 0) return [];
  const readyAt = (await stat(file)).mtimeMs + DROP_AFTER_MS;
  if (clock.now().getTime() < readyAt) {
    throw new SvcError(
      "internal",
      `The key file ${file} changed less than ${DROP_AFTER_MS / 60_000} minutes ago, and a control plane may still be ` +
        `writing with an older key. Drop the old keys after ${new Date(readyAt).toISOString()}.`,
    );
  }
  await replaceMasterKeys(
    file,
    keys.filter((key) => !unused.includes(keyId(key))),
  );
  return unused;
}

function idOf(key: Buffer | undefined): string {
  if (!key) throw new SvcError("internal", "The master key file holds no key.");
  return keyId(key);
}
