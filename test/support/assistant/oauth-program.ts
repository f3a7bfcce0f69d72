import { createHash, randomBytes } from "node:crypto";
import { replyOf, type Reply, type TestApi } from "../api/http.ts";
import { randomAddress, type Browser } from "../people/person.ts";

/** An authorization request's parameters. */
export type Parameters = Record<string, string>;

export const CALLBACK = "http://127.0.0.1:3333/callback?from=svc";

/** A program that registers itself and asks people for a key, written by hand: it can do what an attacker's would. */
export class OAuthProgram {
  readonly #http: TestApi;
  readonly #address = randomAddress();
  readonly verifier: string;
  readonly id: string;

  static async register(http: TestApi, metadata: object = {}): Promise<OAuthProgram> {
    const { status, json, text } = await register(http, {
      redirect_uris: [CALLBACK],
      client_name: "Desk",
      ...metadata,
    });
    if (status !== 201) throw new Error(`register: ${status} ${text}`);
    return new OAuthProgram(http, String(json["client_id"]));
  }

  private constructor(http: TestApi, id: string, verifier = randomBytes(32).toString("base64url")) {
    this.#http = http;
    this.id = id;
    this.verifier = verifier;
  }

  /** The same program, where it talks to another process. */
  at(http: TestApi): OAuthProgram {
    return new OAuthProgram(http, this.id, this.verifier);
  }

  request(changes: Readonly<Record<string, string | undefined>> = {}): Parameters {
    const parameters = {
      client_id: this.id,
      redirect_uri: CALLBACK,
      response_type: "code",
      code_challenge: createHash("sha256").update(this.verifier).digest("base64url"),
      code_challenge_method: "S256",
      scope: "apps:read deploys:write",
      state: "a state/?&",
      resource: `${this.#http.identity.baseUrl}/mcp`,
      ...changes,
    };
    return Object.fromEntries(
      Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
  }

  /** The person allows it. @returns the code */
  async allowedBy(person: Browser, team: string, scopes = ["apps:read"], request = this.request()): Promise<string> {
    const { status, json, text } = await allow(person, request, { team, scopes });
    if (status !== 200) throw new Error(`allow: ${status} ${text}`);
    return new URL(String(json["redirect_to"])).searchParams.get("code") ?? "";
  }

  exchange(code: string, changes: Readonly<Record<string, string>> = {}): Promise<Reply> {
    const form = {
      grant_type: "authorization_code",
      client_id: this.id,
      redirect_uri: CALLBACK,
      code,
      code_verifier: this.verifier,
      ...changes,
    };
    const body = new URLSearchParams(form).toString();
    return post(this.#http, "/auth/oauth/token", body, "application/x-www-form-urlencoded", this.#address);
  }
}

/** @param address where it comes from; without one, from somewhere else each time, so that no limit of an address disturbs */
export function register(http: TestApi, metadata: unknown, address = randomAddress()): Promise<Reply> {
  return post(http, "/auth/oauth/register", JSON.stringify(metadata), "application/json", address);
}

export const look = (person: Browser, request: Parameters): Promise<Reply> =>
  person.get(`/auth/oauth/request?${new URLSearchParams(request).toString()}`);

export const allow = (
  person: Browser,
  request: Parameters,
  chosen: { team: string; scopes: string[] },
): Promise<Reply> => person.post("/auth/oauth/allow", { request, ...chosen });

async function post(http: TestApi, path: string, body: string, type: string, address: string): Promise<Reply> {
  const headers = { "Content-Type": type, "X-Forwarded-For": address };
  const socket = { remoteAddress: "127.0.0.1" };
  return replyOf(await http.api.request(path, { method: "POST", headers, body }, { incoming: { socket } }));
}
