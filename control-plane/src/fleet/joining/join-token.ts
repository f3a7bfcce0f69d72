import { createHash, randomBytes } from "node:crypto";
import { SvcError } from "@svc/shared/errors.ts";

/**
 * `svcjoin_<secret>.<SHA-256 of the authority's certificate, hex>`. The first part proves the agent to us, the second
 * lets the agent recognise the fleet before it sends the first.
 */
export function newJoinToken(authorityFingerprint: string): { token: string; hash: Buffer } {
  const secret = `svcjoin_${randomBytes(32).toString("base64url")}`;
  return { token: `${secret}.${authorityFingerprint}`, hash: hashOf(secret) };
}

/**
 * Makes the hash that is stored of a token: the secret has 256 bits of entropy, so a plain SHA-256 cannot be turned
 * back.
 */
export function joinTokenHash(token: string): Buffer {
  const match = /^(svcjoin_[A-Za-z0-9_-]{43})\.[0-9a-f]{64}$/.exec(token.trim());
  if (!match) throw joinTokenInvalid();
  return hashOf(match[1]!);
}

/** The same sentence whether the token is unknown, used or expired: whoever holds it by right needs a new one. */
export function joinTokenInvalid(): SvcError {
  return new SvcError(
    "join_token_invalid",
    "The join token is unknown, was used or is older than 15 minutes. " +
      "Make a new one on the control plane with `npm run admin -- server token` and start the agent with it.",
  );
}

function hashOf(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}
