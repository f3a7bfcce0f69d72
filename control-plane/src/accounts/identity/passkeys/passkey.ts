import { SvcError } from "@svc/shared/errors.ts";
import { invalid } from "../../../platform/invalid.ts";
import { noPasskeysAt, relyingPartyOf, type RelyingParty } from "./relying-party.ts";

/** More are no devices of one person. */
const PASSKEYS_MAX = 20;

/** A mail lists the names of all. */
export const PASSKEY_NAME_LENGTH_MAX = 50;

/** Time to find a security key and its PIN; the standard recommends 5 to 10 minutes where the person is verified. */
export const CHALLENGE_SECONDS = 5 * 60;

/** EdDSA, ES256 and RS256: every authenticator can do one of them (IANA, "COSE Algorithms"). */
export const ALGORITHMS = [-8, -7, -257];

/** A passkey as a browser must name it to its authenticators. */
interface KnownCredential {
  credentialId: Buffer;
  transports: readonly string[];
}

/** @throws SvcError invalid_request where browsers offer no passkeys */
export function requireRelyingParty(baseUrl: string): RelyingParty {
  const party = relyingPartyOf(baseUrl);
  if (!party) throw invalid(noPasskeysAt(baseUrl));
  return party;
}

/** @throws SvcError invalid_request when the person has as many as anybody may have */
export function requireRoomForPasskey(count: number): void {
  if (count >= PASSKEYS_MAX) throw invalid(`You have ${count} passkeys, and nobody may have more. Remove one first.`);
}

/**
 * What the page gives to `navigator.credentials.create`, as JSON. The passkey is to be found without the person's address,
 * and to verify the person by a PIN, a finger or a face.
 * @param known the person's passkeys: an authenticator that has one makes no second one
 */
export function creationOptions(
  party: RelyingParty,
  person: { id: string; email: string; name: string },
  challenge: Buffer,
  known: readonly KnownCredential[],
) {
  return {
    rp: { id: party.id, name: party.id },
    user: { id: userHandleOf(person.id), name: person.email, displayName: person.name || person.email },
    challenge: challenge.toString("base64url"),
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: "public-key", alg })),
    timeout: CHALLENGE_SECONDS * 1_000,
    attestation: "none",
    authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
    excludeCredentials: known.map(({ credentialId, transports }) => ({
      type: "public-key",
      id: credentialId.toString("base64url"),
      transports,
    })),
  };
}

/** What the page gives to `navigator.credentials.get`, as JSON: any passkey of this service will do. */
export function requestOptions(party: RelyingParty, challenge: Buffer) {
  return {
    rpId: party.id,
    challenge: challenge.toString("base64url"),
    timeout: CHALLENGE_SECONDS * 1_000,
    userVerification: "required",
  };
}

/** The person as authenticators know them: the 16 bytes of the id, in base64url. */
export function userHandleOf(userId: string): string {
  return Buffer.from(userId.replaceAll("-", ""), "hex").toString("base64url");
}

/**
 * Whether a signature is newer than all before it. One that is not was made by a copy of the passkey, or the newer ones were
 * (Web Authentication, "Signature Counter Considerations"). An authenticator that doesn't count says 0 each time.
 */
export function isCounterAhead(stored: number, given: number): boolean {
  return given > stored || (given === 0 && stored === 0);
}

/** One refusal for all that is wrong with a sign-in: it doesn't say whether a passkey is known. */
export function passkeyRefused(): SvcError {
  return new SvcError(
    "credentials_invalid",
    "The passkey was not accepted: it may have been removed from your account, or this took too long. Try again, or sign in with your password.",
  );
}
