import { SvcError } from "@svc/shared/errors.ts";

/** The token's second part lets the agent recognise the fleet before it sends the first (proto/README.md). */
const TOKEN = /^svcjoin_[A-Za-z0-9_-]{16,256}\.([0-9a-f]{64})$/;

/** SHA-256 of the authority's certificate (DER), lower-case hex. @throws SvcError join_token_invalid */
export function authorityFingerprint(token: string): string {
  const match = TOKEN.exec(token.trim());
  if (match) return match[1]!;
  const advice = "copy it whole from `npm run admin -- server token` on the control plane";
  throw new SvcError("join_token_invalid", `SVC_JOIN_TOKEN does not have the form of a join token; ${advice}.`);
}
