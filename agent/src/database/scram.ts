import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";

/** PostgreSQL's own default (`scram_iterations`); the password carries enough entropy by itself. */
const ITERATIONS = 4096;
const SALT_BYTES = 16;

/**
 * Makes the verifier that PostgreSQL stores for a password (RFC 5802 and 7677), so that the password itself never
 * leaves this process in a statement. The password must be ASCII: SASLprep is not applied.
 */
export function scramVerifier(password: string, salt: Buffer = randomBytes(SALT_BYTES)): string {
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, "sha256");
  const storedKey = createHash("sha256").update(hmac(salted, "Client Key")).digest("base64");
  const serverKey = hmac(salted, "Server Key").toString("base64");
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString("base64")}$${storedKey}:${serverKey}`;
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
