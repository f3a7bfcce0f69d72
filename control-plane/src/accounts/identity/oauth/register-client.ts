import { z } from "zod";
import { SvcError } from "@svc/shared/errors.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { quoted, withoutUnseen } from "../../../platform/invalid.ts";
import { limitAttempts } from "../attempts/limit-attempts.ts";
import { OAuthError } from "../device/oauth-error.ts";
import type { Identity } from "../identity.ts";
import type { Visit } from "../sessions/session.ts";
import { countUnusedClients, insertClient } from "./oauth-clients.store.ts";
import { isRedirectUri } from "./redirect-uri.ts";

const REDIRECT_URIS_MAX = 10;
/** As long as the name of a key may be, which is named after the client. */
const NAME_LENGTH_MAX = 60;
/** Each lives for a day; with the limit of a site, more than 20 sites have to take part for a day to reach it. */
const UNUSED_MAX = 10_000;

/** The metadata that is read. All other is ignored, as RFC 7591, section 2, demands. */
const Metadata = z.object({
  redirect_uris: z.array(z.string()).min(1).max(REDIRECT_URIS_MAX),
  client_name: z.string().optional(),
  grant_types: z.array(z.string()).optional(),
  response_types: z.array(z.string()).optional(),
});

/**
 * Registers a client that has no secret, whoever asks (RFC 7591, section 3). It may do nothing by that: a person allows it, who is told
 * that its name is not proven.
 * @throws OAuthError invalid_client_metadata, invalid_redirect_uri; SvcError rate_limited
 */
export async function registerClient({ db, clock }: Identity, visit: Visit, body: unknown) {
  await limitAttempts(db, "oauthClient", visit.address);
  await limitAttempts(db, "oauthClientSite", visit.address);
  const metadata = Metadata.safeParse(body);
  if (!metadata.success) {
    const { path, message } = metadata.error.issues[0]!;
    throw new OAuthError("invalid_client_metadata", `${path.join(".") || "The body"}: ${message}.`);
  }
  const { redirect_uris: redirectUris, client_name, grant_types, response_types } = metadata.data;
  const wrong = redirectUris.find((uri) => !isRedirectUri(uri));
  if (wrong !== undefined) {
    const allowed = "use https, or http on 127.0.0.1, [::1] or localhost; without a fragment, in 1,000 characters";
    throw new OAuthError("invalid_redirect_uri", `${quoted(wrong)} can't be answered at: ${allowed}.`);
  }
  requireAmong("grant_types", grant_types, "authorization_code");
  requireAmong("response_types", response_types, "code");
  if ((await countUnusedClients(db, UNUSED_MAX)) >= UNUSED_MAX) {
    const sentence = "Too many clients were registered today that nobody has used. Try again in an hour.";
    throw new SvcError("rate_limited", sentence, { retryAfterSeconds: 3_600 });
  }
  const client = { id: newId(), name: nameOf(client_name), redirectUris: [...new Set(redirectUris)] };
  await insertClient(db, { ...client, address: visit.address });
  return {
    client_id: client.id,
    client_id_issued_at: Math.floor(clock.now().getTime() / 1000),
    client_name: client.name,
    redirect_uris: client.redirectUris,
    grant_types: ["authorization_code"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
}

function requireAmong(field: string, given: readonly string[] | undefined, needed: string): void {
  if (given === undefined || given.includes(needed)) return;
  throw new OAuthError("invalid_client_metadata", `${field} must hold ${needed}, which is the only one there is.`);
}

/** A name is shown to people: characters without a look, or that turn others around, are left out. */
function nameOf(given = ""): string {
  const line = withoutUnseen(given, " ").trim();
  return line.slice(0, NAME_LENGTH_MAX).toWellFormed().trim() || "unnamed client";
}
