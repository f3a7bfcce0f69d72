import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { Provider } from "oidc-provider";
import type { OidcProvider } from "@svc/control-plane/accounts/identity/oidc/provider.ts";
import { freePort } from "../tools/free-ports.ts";

export interface OpenIdProvider {
  /** As the operator's file has it. */
  provider: OidcProvider;
  stop(): Promise<void>;
}

/**
 * A real provider (oidc-provider, which is certified) on loopback, for one client. Its page asks for an e-mail address, and
 * confirms whichever is entered.
 * @param baseUrl of the control plane
 */
export async function startOpenIdProvider({ id, baseUrl }: { id: string; baseUrl: string }): Promise<OpenIdProvider> {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const client = { client_id: "svc", client_secret: "a secret of some length, for HMAC" };
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const oidc = new Provider(issuer, {
    clients: [{ ...client, redirect_uris: [`${baseUrl}/auth/oidc/${id}/callback`] }],
    cookies: { keys: ["a key of these tests"] },
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), use: "sig", alg: "RS256" }] },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    findAccount: (_ctx, sub) => ({
      accountId: sub,
      claims: () => ({ sub, email: sub, email_verified: true, name: "Ada of the provider" }),
    }),
  });
  const callback = oidc.callback();
  const server = createServer((request, response) => {
    if (request.url?.startsWith("/interaction/")) void interact(oidc, request, response);
    else void callback(request, response);
  }).listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    provider: {
      id,
      name: "Company",
      issuer: `${issuer}/`,
      clientId: client.client_id,
      clientSecret: client.client_secret,
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Asks for the address, and allows the client all that it asks for. */
async function interact(oidc: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { params, session } = await oidc.interactionDetails(request, response);
  if (request.method !== "POST") {
    response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" }).end(LOGIN);
    return;
  }
  const form = new URLSearchParams(await text(request));
  if (form.has("cancel")) {
    await oidc.interactionFinished(request, response, { error: "access_denied" });
    return;
  }
  const accountId = form.get("email") ?? session?.accountId ?? "";
  const grant = new oidc.Grant({ accountId, clientId: String(params["client_id"]) });
  grant.addOIDCScope(String(params["scope"]));
  await oidc.interactionFinished(request, response, { login: { accountId }, consent: { grantId: await grant.save() } });
}

const LOGIN = `<!doctype html>
<html lang="en"><title>Company</title><link rel="icon" href="data:,">
<h1>Company</h1>
<form method="post">
  <label>Address <input name="email" type="email"></label>
  <button>Go on</button>
  <button name="cancel" value="1">Cancel</button>
</form>
</html>
`;
