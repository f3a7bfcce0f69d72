import { hash } from "node:crypto";
import { SvcError } from "@svc/shared/errors.ts";
import type { Db } from "../../../platform/database/database.ts";
import { sealContext } from "../../../ports.ts";
import type { Identity } from "../identity.ts";
import { acceptedStep } from "./totp.ts";
import { readTwoFactor, useRecoveryCode, useStep } from "./two-factors.store.ts";

/** All that is stored of a recovery code, however it was typed. */
export function hashRecoveryCode(code: string): Buffer {
  return hash("sha256", code.toUpperCase().replaceAll(/[^A-Z2-7]/g, ""), "buffer");
}

/**
 * Accepts a code of the person's app, or one of their recovery codes, each once: a code that somebody has looked at over a
 * shoulder is worth nothing. better-auth's own second factor accepts a code as often as it is sent while it is valid.
 * @param tx the person's row is locked in it
 * @throws SvcError credentials_invalid
 */
export async function useCode(
  { keyRing, clock }: Identity,
  tx: Db,
  userId: string,
  code: string,
): Promise<"app" | "recovery code"> {
  const typed = code.replaceAll(/\s/g, "");
  if (!/^[0-9]{6}$/.test(typed)) {
    if (await useRecoveryCode(tx, userId, hashRecoveryCode(typed))) return "recovery code";
    throw wrongCode();
  }
  const factor = await readTwoFactor(tx, userId);
  if (!factor) throw wrongCode();
  const secret = Buffer.from(keyRing.open(factor.secret, sealContext.secondFactor(userId)), "base64");
  const step = acceptedStep(secret, typed, clock.now(), Number(factor.last_step));
  if (step === undefined || !(await useStep(tx, userId, step))) throw wrongCode();
  return "app";
}

export function wrongCode(): SvcError {
  return new SvcError("credentials_invalid", "The code is wrong, or was used already. Wait for the next one.");
}
