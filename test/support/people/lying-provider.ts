import { createHash, createHmac, generateKeyPairSync, randomUUID, sign, type KeyObject } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { OidcProvider } from "@svc/control-plane/accounts/identity/oidc/provider.ts";

/** Somebody at the provider, by their claims; without `email_verified` the address is not confirmed. */
export interface Subject {
  sub: string;
  email?: string;
  email_verified?: unknown;
  name?: unknown;
}

/** What is wrong with one sign-in. */
export interface Lies {
  /** In the place of the ID token's own; undefined takes one away. */
  claims?: Record<string, unknown>;
  alg?: string;
  /** other: a key that the provider does not publish. none: no signature. public: the published one, as a secret. */
  key?: "other" | "none" | "public";
  /** In the place of the query that the browser brings back. */
  query?: Record<string, string>;
  /** The claims are told by the userinfo endpoint alone. */
  userInfo?: Record<string, unknown>;
}

/** Answers in the place of the provider; is given the path. */
export type Answer = (path: string, response: ServerResponse) => void;

/** A provider that speaks the protocol as the real ones do (code flow, PKCE, RS256), and lies where it is told to. */
export interface LyingProvider {
  /** As the operator's file has it. */
  provider: OidcProvider;
  /** Paths that it was asked for. */
  asked: string[];
  /** Set, it answers all requests. */
  answer: Answer | undefined;
  /** Is awaited before each answer; is given the path. */
  before: ((path: string) => Promise<void>) | undefined;
  /** Its metadata, beside or in the place of what it has. */
  metadata: Record<string, unknown>;
  /**
   * Lets somebody sign in who was sent here.
   * @param address of the provider's page, as the control plane gave it
   * @returns the path and query of this service that the browser is led back to
   */
  signIn(address: string, subject: Subject, lies?: Lies): string;
  /** Comes back at the same address. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

const CODE_SECONDS = 60;

interface Login {
  subject: Subject;
  lies: Lies;
  nonce: string;
  challenge: string;
  redirectUri: string;
}

export async function startLyingProvider(id = "liar"): Promise<LyingProvider> {
  const server = createServer((request, response) => void respond(request, response));
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const other = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  const logins = new Map<string, Login>();
  const byAccessToken = new Map<string, Login>();
  let port = 0;

  async function start(): Promise<void> {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    ({ port } = server.address() as AddressInfo);
  }
  await start();
  const issuer = `http://127.0.0.1:${port}`;
  const provider = { id, name: "Liar & Co", issuer: `${issuer}/`, clientId: "svc", clientSecret: "a secret: of + it" };

  function idTokenOf({ subject, lies, nonce }: Login): string {
    const now = Math.floor(Date.now() / 1000);
    const told = lies.userInfo ? { sub: subject.sub } : subject;
    const own = { iss: issuer, aud: provider.clientId, iat: now, exp: now + CODE_SECONDS, nonce };
    const alg = lies.alg ?? (lies.key === "none" ? "none" : "RS256");
    const head = { alg, kid: "1", typ: "JWT" };
    const signed = [head, { ...own, ...told, ...lies.claims }].map(encode).join(".");
    return `${signed}.${signatureOf(signed, lies, { publicKey, privateKey, other })}`;
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname: path } = new URL(request.url ?? "", issuer);
    self.asked.push(path);
    await self.before?.(path);
    if (self.answer) return self.answer(path, response);
    const body = new URLSearchParams(await text(request));
    if (path === "/.well-known/openid-configuration") return sendJson(response, 200, metadataOf(issuer, self.metadata));
    if (path === "/jwks") {
      return sendJson(response, 200, { keys: [{ ...publicKey.export({ format: "jwk" }), kid: "1", use: "sig" }] });
    }
    if (path === "/userinfo") {
      const login = byAccessToken.get((request.headers.authorization ?? "").replace("Bearer ", ""));
      if (!login) return sendJson(response, 401, {});
      return sendJson(response, 200, { sub: login.subject.sub, ...login.lies.userInfo });
    }
    const code = body.get("code") ?? "";
    const login = logins.get(code);
    logins.delete(code);
    const verifier = createHash("sha256")
      .update(body.get("code_verifier") ?? "")
      .digest("base64url");
    const isFit = path === "/token" && isClient(request, provider) && verifier === login?.challenge;
    if (!isFit || body.get("redirect_uri") !== login.redirectUri) {
      return sendJson(response, 400, { error: "invalid_grant" });
    }
    const accessToken = randomUUID();
    byAccessToken.set(accessToken, login);
    sendJson(response, 200, { access_token: accessToken, token_type: "Bearer", id_token: idTokenOf(login) });
  }

  const self: LyingProvider = {
    provider,
    asked: [],
    answer: undefined,
    before: undefined,
    metadata: {},
    signIn(address, subject, lies = {}) {
      const { searchParams: asked } = new URL(address);
      const of = (name: string) => asked.get(name) ?? "";
      const isAsked = of("response_type") === "code" && of("code_challenge_method") === "S256";
      if (!isAsked || of("client_id") !== provider.clientId) throw new Error(`${address} asks for something else`);
      const code = randomUUID();
      const redirectUri = of("redirect_uri");
      logins.set(code, { subject, lies, nonce: of("nonce"), challenge: of("code_challenge"), redirectUri });
      const back = new URL(redirectUri);
      back.search = new URLSearchParams({ code, state: of("state"), iss: issuer, ...lies.query }).toString();
      return back.pathname + back.search;
    },
    start,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return self;
}

function metadataOf(issuer: string, others: Record<string, unknown>): Record<string, unknown> {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/jwks`,
    id_token_signing_alg_values_supported: ["RS256", "HS256", "none"],
    authorization_response_iss_parameter_supported: true,
    ...others,
  };
}

function signatureOf(
  signed: string,
  { key }: Lies,
  keys: Record<"publicKey" | "privateKey" | "other", KeyObject>,
): string {
  if (key === "none") return "";
  if (key === "public") {
    const secret = keys.publicKey.export({ type: "spki", format: "pem" });
    return createHmac("sha256", secret).update(signed).digest("base64url");
  }
  return sign("sha256", Buffer.from(signed), key === "other" ? keys.other : keys.privateKey).toString("base64url");
}

/** RFC 6749, 2.3.1: both are encoded as in a form. */
function isClient({ headers }: IncomingMessage, { clientId, clientSecret }: OidcProvider): boolean {
  const [, basic = ""] = (headers.authorization ?? "").split("Basic ");
  const [id, secret] = new URLSearchParams(
    `id=${Buffer.from(basic, "base64").toString().replace(":", "&secret=")}`,
  ).values();
  return id === clientId && secret === clientSecret;
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function sendJson(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(value));
}
