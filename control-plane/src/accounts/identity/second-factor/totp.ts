import { createHmac } from "node:crypto";
import { isSameSecret } from "../../../platform/is-same-secret.ts";

/** Time-based one-time passwords (RFC 6238), as every authenticator app makes them: SHA-1, 6 digits, 30 seconds. */
export const TOTP_SECRET_BYTES = 20;
const STEP_SECONDS = 30;
const DIGITS = 6;
/** A clock may be one step wrong, and typing takes a while (RFC 6238, section 5.2). */
const STEPS_AROUND = 1;

export function totpStep(now: Date): number {
  return Math.floor(now.getTime() / 1000 / STEP_SECONDS);
}

export function totpCode(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", secret).update(counter).digest();
  const offset = mac[mac.length - 1]! & 0xf;
  const number = (mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** DIGITS;
  return String(number).padStart(DIGITS, "0");
}

/** Finds the step that a code is of; undefined when it is none, or not newer than the last one that was accepted. */
export function acceptedStep(secret: Buffer, code: string, now: Date, lastStep: number): number | undefined {
  const current = totpStep(now);
  for (let step = current - STEPS_AROUND; step <= current + STEPS_AROUND; step++) {
    if (step > lastStep && isSameSecret(totpCode(secret, step), code)) return step;
  }
  return undefined;
}

/** The address that an authenticator app reads from a QR code. */
export function totpUri(secret: Buffer, { issuer, account }: { issuer: string; account: string }): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}`;
}

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** RFC 4648, without padding. */
export function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{1,5}/g) ?? []).map((group) => BASE32[Number.parseInt(group.padEnd(5, "0"), 2)]).join("");
}
