import * as client from "openid-client";
import type { Attempt } from "./attempt.ts";
import type { BoundedFetch } from "./bounded-fetch.ts";
import type { Profile, ProvenSubject, ProviderClient } from "./provider-client.ts";
import type { OidcProvider } from "./provider.ts";

/** A provider that moves an endpoint is followed without a restart. */
const METADATA_MS_MAX = 3_600_000;
const SCOPES = "openid email profile";

/**
 * The protocol itself is openid-client's: the code flow with PKCE, and every check of what comes back. `oidc.ts` loads this
 * file when somebody uses a provider, not at the start.
 */
export function createProviderClient(parts: {
  provider: OidcProvider;
  fetch: BoundedFetch;
  redirectUri: string;
  timeoutMs: number;
}): ProviderClient {
  const { provider, fetch, redirectUri, timeoutMs } = parts;
  let known: { config: Promise<client.Configuration>; until: number } | undefined;

  /** Asks once for all that wait, and again after a failure. */
  function configuration(): Promise<client.Configuration> {
    if (known && known.until > Date.now()) return known.config;
    const asked = { config: discover(), until: Date.now() + METADATA_MS_MAX };
    known = asked;
    asked.config.catch(() => {
      if (known === asked) known = undefined;
    });
    return asked.config;
  }

  async function discover(): Promise<client.Configuration> {
    const issuer = new URL(provider.issuer);
    const config = await client.discovery(issuer, provider.clientId, undefined, authenticate(provider.clientSecret), {
      [client.customFetch]: fetch,
      timeout: timeoutMs / 1000,
      execute: [
        // The signature is checked although the token comes from the provider itself, so that TLS is not all that stands.
        client.enableNonRepudiationChecks,
        ...(issuer.protocol === "http:" ? [client.allowInsecureRequests] : []),
      ],
    });
    const endpoint = new URL(config.serverMetadata().authorization_endpoint ?? "");
    if (endpoint.protocol !== "https:" && endpoint.origin !== issuer.origin) {
      throw new Error(`the provider's sign-in page is at ${endpoint.origin}, which is not an https:// address`);
    }
    return config;
  }

  return {
    async signInAddress({ state, nonce, verifier }) {
      return client.buildAuthorizationUrl(await configuration(), {
        redirect_uri: redirectUri,
        scope: SCOPES,
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      }).href;
    },
    async proveSubject(answer, attempt) {
      const config = await configuration();
      const url = new URL(redirectUri);
      url.search = answer.toString();
      const tokens = await client.authorizationCodeGrant(config, url, checksOf(attempt));
      const claims = tokens.claims();
      if (!claims) throw new Error("the provider gave no ID token");
      // openid-client lets a tenant of Entra answer for `common`; the operator named one issuer.
      if (new URL(claims.iss).href !== provider.issuer) throw new Error(`the ID token is of ${claims.iss}`);
      return provenSubject(config, claims, tokens.access_token);
    },
  };
}

function checksOf({ state, nonce, verifier }: Attempt): client.AuthorizationCodeGrantChecks {
  return { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
}

function provenSubject(config: client.Configuration, claims: client.IDToken, accessToken: string): ProvenSubject {
  const { sub } = claims;
  // OpenID Connect Core, section 2: at most 255 ASCII characters.
  if (!/^[\x20-\x7e]{1,255}$/.test(sub)) throw new Error("the ID token's sub is not 1 to 255 ASCII characters");
  return {
    subject: sub,
    async readProfile() {
      // All of it is read from one place: an address of one and the word of another would prove nothing.
      if (claims["email"] !== undefined && claims["email_verified"] !== undefined) return profileOf(claims);
      const isAll = config.serverMetadata().userinfo_endpoint === undefined;
      return profileOf(isAll ? claims : await client.fetchUserInfo(config, accessToken, sub));
    },
  };
}

/** Some providers write the boolean as text. */
function profileOf({ email, email_verified: verified, name }: Readonly<Record<string, unknown>>): Profile {
  return { email, isVerified: verified === true || verified === "true", name };
}

/** The default of OpenID Connect where the provider takes it, else the other way with a secret (RFC 6749, 2.3.1). */
function authenticate(secret: string): client.ClientAuth {
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  return (as, metadata, body, headers) => {
    const methods = as.token_endpoint_auth_methods_supported;
    return (methods && !methods.includes("client_secret_basic") ? post : basic)(as, metadata, body, headers);
  };
}
