import { randomInt } from "node:crypto";

/** A code is good for so long: time to sign in on another machine, with a second factor. */
export const DEVICE_CODE_SECONDS = 600;

/** Seconds between two polls of a client, and how much longer they become when it polls too soon (RFC 8628, 3.5). */
export const POLL_SECONDS = 5;

/** Letters that spell no words and look like no others (RFC 8628, 6.1). */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
const LENGTH = 8;

/** Makes a user code without its hyphen: one of 25,600 million. */
export function makeUserCode(): string {
  return Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join("");
}

/** XXXX-XXXX, as people read it. */
export function showUserCode(code: string): string {
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`;
}

/** Reads a user code in either case, with or without hyphen and spaces; undefined when it can't be one. */
export function parseUserCode(typed: string): string | undefined {
  const code = typed.replaceAll(/[\s-]/g, "").toUpperCase();
  return code.length === LENGTH && [...code].every((letter) => LETTERS.includes(letter)) ? code : undefined;
}
