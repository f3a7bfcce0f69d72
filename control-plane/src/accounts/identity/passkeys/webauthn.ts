import { verifyAuthenticationResponse, verifyRegistrationResponse } from "@simplewebauthn/server";
import { decodeAttestationObject, isoBase64URL } from "@simplewebauthn/server/helpers";
import type { NewPasskeyAnswer, SignatureAnswer } from "./passkey-answers.ts";
import { ALGORITHMS } from "./passkey.ts";
import type { RelyingParty } from "./relying-party.ts";

/*
 * The checks of Web Authentication, which @simplewebauthn/server does for us. It takes 0.2 s and 11 MiB to load, so the
 * verbs import this file when somebody comes with a passkey, not at the start.
 */

/** A passkey that an authenticator has made. */
export interface MadePasskey {
  credentialId: Buffer;
  publicKey: Buffer;
  counter: number;
  isBackedUp: boolean;
}

const TRANSPORTS: ReadonlySet<string> = new Set(["ble", "cable", "hybrid", "internal", "nfc", "smart-card", "usb"]);

/** Checks the answer of an authenticator that was asked for a passkey; undefined when it is not one to this challenge. */
export async function readNewPasskey(
  answer: NewPasskeyAnswer,
  challenge: Buffer,
  party: RelyingParty,
): Promise<MadePasskey | undefined> {
  const { clientDataJSON, attestationObject } = answer.response;
  try {
    if (!namesNoMaker(attestationObject)) return undefined;
    const { verified, registrationInfo: made } = await verifyRegistrationResponse({
      response: { ...answer, clientExtensionResults: {}, response: { clientDataJSON, attestationObject } },
      expectedChallenge: challenge.toString("base64url"),
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!verified || made.credential.id !== answer.id) return undefined;
    return {
      credentialId: Buffer.from(made.credential.id, "base64url"),
      publicKey: Buffer.from(made.credential.publicKey),
      counter: made.credential.counter,
      isBackedUp: made.credentialBackedUp,
    };
  } catch {
    return undefined;
  }
}

/**
 * Checks the signature of a sign-in; undefined when it is not the passkey's, for this challenge and this service, by a person
 * who was verified. The counter is left to the caller, who compares it while nobody else does.
 */
export async function readSignature(
  answer: SignatureAnswer,
  { credentialId, publicKey }: { credentialId: Buffer; publicKey: Buffer },
  challenge: Buffer,
  party: RelyingParty,
): Promise<{ counter: number; isBackedUp: boolean } | undefined> {
  const { clientDataJSON, authenticatorData, signature } = answer.response;
  try {
    const { verified, authenticationInfo: info } = await verifyAuthenticationResponse({
      response: { ...answer, clientExtensionResults: {}, response: { clientDataJSON, authenticatorData, signature } },
      expectedChallenge: challenge.toString("base64url"),
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      credential: {
        id: credentialId.toString("base64url"),
        publicKey: new Uint8Array(publicKey),
        // The library would throw for an old counter, before it has looked at the signature.
        counter: 0,
      },
    });
    return verified ? { counter: info.newCounter, isBackedUp: info.credentialBackedUp } : undefined;
  } catch {
    return undefined;
  }
}

/** What of the transports that a browser names can be given to one again. */
export function knownTransports(transports: readonly string[] = []): string[] {
  return [...new Set(transports)].filter((transport) => TRANSPORTS.has(transport));
}

/**
 * Whether the authenticator says nothing about its maker, as we ask: "none", or a signature by the new key itself. Others hold
 * certificates of the sender's choice, which would be parsed for nothing.
 */
function namesNoMaker(attestationObject: string): boolean {
  const decoded = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject));
  const format = decoded.get("fmt");
  return format === "none" || (format === "packed" && decoded.get("attStmt").get("x5c") === undefined);
}
