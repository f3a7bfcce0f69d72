import { createHmac, randomBytes } from "node:crypto";
import type { Clock } from "@svc/shared/platform/clock.ts";
import type { Db } from "../../platform/database/database.ts";
import { ensureFact } from "../../platform/database/installation.store.ts";
import { isSameSecret } from "../../platform/is-same-secret.ts";
import { sealContext, type KeyRing } from "../../ports.ts";

/** A fetch ends within ten minutes on the agent; the rest is for clocks and a queue. */
const LIFE_SECONDS = 15 * 60;

const TOKEN = /^svcgit_([0-9]{1,12})_([A-Za-z0-9_-]{43})$/;

/** Tokens with which an agent reads one hosted repository for a quarter of an hour. Nothing of them is stored. */
export interface ReadTokens {
  /** @returns `svcgit_<seconds since 1970>_<HMAC>` */
  make(repositoryId: string): string;
  isValid(token: string, repositoryId: string): boolean;
}

export function isReadToken(password: string): boolean {
  return TOKEN.test(password);
}

/** Every process of the installation has the same key; it lies sealed in the database. */
export async function openReadTokens(db: Db, keyRing: KeyRing, clock: Clock): Promise<ReadTokens> {
  const fresh = keyRing.seal(randomBytes(32).toString("base64"), sealContext.gitTokenKey());
  const sealed = await ensureFact(db, "git-token-key", fresh);
  return createReadTokens(Buffer.from(keyRing.open(sealed, sealContext.gitTokenKey()), "base64"), clock);
}

export function createReadTokens(key: Buffer, clock: Clock): ReadTokens {
  const now = (): number => Math.floor(clock.now().getTime() / 1000);
  const mac = (repositoryId: string, expires: string): string =>
    createHmac("sha256", key).update(`git-read\n${repositoryId}\n${expires}`).digest("base64url");
  return {
    make(repositoryId) {
      const expires = String(now() + LIFE_SECONDS);
      return `svcgit_${expires}_${mac(repositoryId, expires)}`;
    },
    isValid(token, repositoryId) {
      const [, expires, given] = TOKEN.exec(token) ?? [];
      if (expires === undefined || given === undefined || Number(expires) <= now()) return false;
      return isSameSecret(mac(repositoryId, expires), given);
    },
  };
}
