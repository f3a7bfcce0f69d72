import { noPasskeysAt, relyingPartyOf } from "../../../src/accounts/identity/passkeys/relying-party.ts";
import { ask } from "./ask.ts";
import type { Passkey } from "./answers.ts";
import { Refusal } from "./refusal.ts";

/** Says why this page can't use passkeys; undefined when it can. */
export function noPasskeysHere(): string | undefined {
  if (relyingPartyOf(location.origin) === undefined) return noPasskeysAt(location.origin);
  const isKnown = "PublicKeyCredential" in window && "parseRequestOptionsFromJSON" in PublicKeyCredential;
  return isKnown ? undefined : "This browser knows no passkeys, or is too old for them.";
}

/** Lets an authenticator make a passkey for the person who is signed in. @throws Refusal */
export async function addPasskey(proof: object, name: string): Promise<Passkey> {
  const begun = await ask<Begun<PublicKeyCredentialCreationOptionsJSON>>("POST", "/auth/passkeys/begin", {
    body: proof,
  });
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(begun.options);
  const answer = await answerOf(navigator.credentials.create({ publicKey }));
  return ask("POST", "/auth/passkeys", { body: { ticket: begun.ticket, name, answer } });
}

/** Signs in with whatever passkey of this service the person chooses. Returns where to go on to. @throws Refusal */
export async function signInWithPasskey(redirect: { redirect_to?: string }): Promise<string> {
  const begun = await ask<Begun<PublicKeyCredentialRequestOptionsJSON>>("POST", "/auth/sign-in/passkey/begin");
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(begun.options);
  const answer = await answerOf(navigator.credentials.get({ publicKey }));
  const body = { ticket: begun.ticket, answer, ...redirect };
  return (await ask<{ redirect_to: string }>("POST", "/auth/sign-in/passkey", { body })).redirect_to;
}

interface Begun<Options> {
  ticket: string;
  options: Options;
}

async function answerOf(credential: Promise<Credential | null>): Promise<object> {
  const given = await credential.catch((error: unknown) => {
    throw refusalOfBrowser(error);
  });
  if (given instanceof PublicKeyCredential) return given.toJSON() as object;
  throw new Refusal("no_passkey", "The browser gave no passkey. Try again.");
}

/** The browser says nothing of why it gave none, so that a page doesn't learn which passkeys there are. */
function refusalOfBrowser(error: unknown): Refusal {
  const name = error instanceof DOMException ? error.name : "";
  if (name === "InvalidStateError") {
    return new Refusal("passkey_exists", "This device has a passkey for your account already.");
  }
  if (name === "NotAllowedError" || name === "AbortError") {
    return new Refusal("no_passkey", "No passkey was used: it was canceled, took too long, or there is none here.");
  }
  return new Refusal("no_passkey", `The browser could not use a passkey: ${String(error)}. Try another device.`);
}
