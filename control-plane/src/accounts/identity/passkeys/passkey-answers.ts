import { z } from "zod";

/** Bytes as `PublicKeyCredential.toJSON` writes them. @param lengthMax in characters */
const base64url = (lengthMax: number) =>
  z
    .string()
    .max(lengthMax, `it has at most ${lengthMax} characters.`)
    .regex(/^[A-Za-z0-9_-]+$/, "it is not base64url.");

/** The standard allows ids of 1,023 bytes. */
const credentialId = base64url(1_364);
const clientDataJSON = base64url(4_000);
const type = z.literal("public-key", "it must be public-key.");

/** What an authenticator answers when it has made a passkey. Browsers say more, which nobody reads. */
export const newPasskeyAnswer = z.object({
  id: credentialId,
  rawId: credentialId,
  type,
  response: z.object({
    clientDataJSON,
    // Without an attestation, the largest is one with an RSA key and the longest id: 2 kB.
    attestationObject: base64url(8_000),
    transports: z.array(z.string().max(20, "it is not a transport.")).max(10, "these are too many.").optional(),
  }),
});

/** What an authenticator answers when it has signed the challenge of a sign-in. */
export const signatureAnswer = z.object({
  id: credentialId,
  rawId: credentialId,
  type,
  response: z.object({
    clientDataJSON,
    authenticatorData: base64url(4_000),
    signature: base64url(2_000),
    userHandle: base64url(100).nullish(),
  }),
});

export type NewPasskeyAnswer = z.output<typeof newPasskeyAnswer>;
export type SignatureAnswer = z.output<typeof signatureAnswer>;
