import { z } from "zod";
import { SvcError } from "@svc/shared/errors.ts";
import { isId } from "@svc/shared/rules/ids.ts";
import { invalid, quoted } from "../../../platform/invalid.ts";
import { isScope, SCOPES, type Scope } from "../../../platform/scope.ts";
import type { Identity } from "../identity.ts";
import { CHALLENGE_METHOD, isChallenge } from "./code-challenge.ts";
import { isOurResource } from "./metadata.ts";
import { readClient, type OAuthClient } from "./oauth-clients.store.ts";
import { isRedirectUri, isSameRedirectUri } from "./redirect-uri.ts";

const parameter = z.string().max(2_000, "it has at most 2000 characters.");

/** The parameters of an authorization request (RFC 6749, 4.1.1; RFC 7636, 4.3; RFC 8707, 2), as the page has them. */
export const AuthorizationParameters = z.object({
  client_id: parameter,
  redirect_uri: parameter,
  response_type: parameter,
  code_challenge: parameter.optional(),
  code_challenge_method: parameter.optional(),
  scope: parameter.optional(),
  state: parameter.optional(),
  resource: parameter.optional(),
});

export interface AuthorizationRequest {
  client: OAuthClient;
  redirectUri: string;
  challenge: string;
  /** The scopes that the program asks for; all when it names none. */
  scopes: readonly Scope[];
  state: string | undefined;
}

/**
 * Checks what a client asks for. What is wrong is said to the person, on our page: anybody can register an address, and a link to us that
 * leads there without a person's decision would lend it our name (RFC 9700, 4.11).
 * @throws SvcError not_found, invalid_request
 */
export async function checkAuthorizationRequest(
  { db, baseUrl }: Identity,
  asked: z.output<typeof AuthorizationParameters>,
): Promise<AuthorizationRequest> {
  const client = isId(asked.client_id) ? await readClient(db, asked.client_id) : undefined;
  if (!client) {
    throw new SvcError(
      "not_found",
      "No program has registered with this id, or it is too long ago. Begin anew in the program.",
    );
  }
  const { redirect_uri: redirectUri, code_challenge: challenge = "" } = asked;
  if (!isRedirectUri(redirectUri) || !client.redirectUris.some((uri) => isSameRedirectUri(uri, redirectUri))) {
    throw invalid(
      `The program wants the answer at ${quoted(redirectUri)}, an address that it has not registered. The program's maker has to mend that.`,
    );
  }
  if (asked.response_type !== "code") throw wrongProgram(`response_type is ${quoted(asked.response_type)}, not code`);
  if (asked.code_challenge_method !== CHALLENGE_METHOD || !isChallenge(challenge)) {
    throw wrongProgram(`code_challenge must be there, with the method ${CHALLENGE_METHOD}`);
  }
  if (asked.resource !== undefined && !isOurResource(baseUrl, asked.resource)) {
    throw wrongProgram(`resource is ${quoted(asked.resource)}, which is not this service`);
  }
  return { client, redirectUri, challenge, scopes: scopesOf(asked.scope), state: asked.state };
}

function scopesOf(text: string | undefined): readonly Scope[] {
  const named = (text ?? "").split(" ").filter((scope) => scope !== "");
  if (named.length === 0) return SCOPES;
  const wrong = named.find((scope) => !isScope(scope));
  if (wrong !== undefined) throw wrongProgram(`scope has ${quoted(wrong)}, which is none of ${SCOPES.join(", ")}`);
  return SCOPES.filter((scope) => named.includes(scope));
}

/** A refusal of something that only the program's maker can mend. */
function wrongProgram(what: string): SvcError {
  return invalid(`The program asks in a way that is not allowed: ${what}. Its maker has to mend that.`);
}
