import { Client, StreamableHTTPClientTransport, UnauthorizedError } from "@modelcontextprotocol/client";
import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deleteExpiredIdentity } from "@svc/control-plane/accounts/identity/delete-expired.ts";
import { startTestApi, type TestApi } from "../../support/api/http.ts";
import { allow, CALLBACK, look, OAuthProgram, register } from "../../support/assistant/oauth-program.ts";
import { Browser } from "../../support/people/person.ts";

let http: TestApi;
let ada: Browser;
let adaId: string;

beforeAll(async () => {
  http = await startTestApi();
  ada = await new Browser(http).join("ada@example.com");
  adaId = ((await ada.get("/api/me")).json["user"] as { id: string }).id;
});
afterAll(() => http?.stop());

const fetchFromApi = async (url: string | URL, init?: RequestInit) =>
  http.api.request(url instanceof URL ? url.href : url, init);

/** The facts of its authorization that the official client keeps. */
class Memory implements OAuthClientProvider {
  readonly redirectUrl = CALLBACK;
  readonly clientMetadata = { client_name: "Desk assistant", redirect_uris: [CALLBACK] };
  information: StoredOAuthClientInformation | undefined;
  kept: StoredOAuthTokens | undefined;
  sentTo: URL | undefined;
  #verifier = "";
  #discovered: OAuthDiscoveryState | undefined;
  clientInformation = () => this.information;
  saveClientInformation = (information: StoredOAuthClientInformation) => void (this.information = information);
  tokens = () => this.kept;
  saveTokens = (tokens: StoredOAuthTokens) => void (this.kept = tokens);
  redirectToAuthorization = (url: URL) => void (this.sentTo = url);
  saveCodeVerifier = (verifier: string) => void (this.#verifier = verifier);
  codeVerifier = () => this.#verifier;
  saveDiscoveryState = (state: OAuthDiscoveryState) => void (this.#discovered = state);
  discoveryState = () => this.#discovered;
}

async function connect(memory: Memory): Promise<{ client: Client; transport: StreamableHTTPClientTransport }> {
  const client = new Client({ name: "desk", version: "1" });
  const parts = { authProvider: memory, fetch: fetchFromApi };
  const transport = new StreamableHTTPClientTransport(new URL("http://127.0.0.1/mcp"), parts);
  return { client, transport };
}

describe("a client that knows only the address", () => {
  it("finds the way, registers, asks its person, and lists the tools of what they allowed", async () => {
    const memory = new Memory();
    const first = await connect(memory);
    await expect(first.client.connect(first.transport)).rejects.toThrow(UnauthorizedError);
    const { sentTo } = memory;
    expect(`${sentTo?.origin}${sentTo?.pathname}`).toBe("http://127.0.0.1/authorize");
    const request = Object.fromEntries(sentTo!.searchParams);
    expect(request).toMatchObject({ code_challenge_method: "S256", resource: "http://127.0.0.1/mcp" });

    const { json } = await look(ada, request);
    expect(json).toMatchObject({
      client: { name: "Desk assistant", host: "127.0.0.1:3333", on_this_machine: true },
      teams: [{ id: adaId, role: "owner" }],
      team: adaId,
    });
    const answer = await allow(ada, request, { team: adaId, scopes: ["apps:read", "domains:read"] });
    const callback = new URL(String(answer.json["redirect_to"]));
    expect(callback.searchParams.get("iss")).toBe("http://127.0.0.1");
    await first.transport.finishAuth(callback.searchParams);
    expect(memory.kept).toMatchObject({ token_type: "Bearer", expires_in: 2_592_000, scope: "apps:read domains:read" });

    const { client, transport } = await connect(memory);
    await client.connect(transport);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names.toSorted()).toEqual(["list_apps", "list_domains", "list_templates", "list_variables", "read_metrics"]);

    const { keys } = (await ada.get("/auth/keys")).json as { keys: Record<string, unknown>[] };
    expect(keys[0]).toMatchObject({ name: "Desk assistant", scopes: ["apps:read", "domains:read"], team_id: adaId });
    const days = (Date.parse(String(keys[0]!["expires_at"])) - Date.now()) / 86_400_000;
    expect(days).toBeCloseTo(30, 1);
    const { rows } = await http.database.query("select action, detail from audit_log where owner_id = $1 order by id", [
      adaId,
    ]);
    const told = rows.filter(({ action }) => /^(client|key)\./.test(String(action)));
    expect(told).toMatchObject([
      { action: "client.allow", detail: { name: "Desk assistant", host: "127.0.0.1:3333" } },
      { action: "key.create", detail: { name: "Desk assistant", scopes: ["apps:read", "domains:read"] } },
    ]);

    expect((await ada.delete(`/auth/keys/${String(keys[0]!["id"])}`)).status).toBe(204);
    await expect.poll(() => client.listTools().catch(String)).toMatch(/Unauthorized/);
  });

  it("is told in the 401 where it learns how to get a key, and both documents agree", async () => {
    const refused = await http.api.request("/mcp", { method: "POST", body: "{}" });
    const where = "http://127.0.0.1/.well-known/oauth-protected-resource/mcp";
    expect(refused.headers.get("WWW-Authenticate")).toBe(`Bearer resource_metadata="${where}"`);
    const wrong = await http.api.request("/mcp", {
      method: "POST",
      body: "{}",
      headers: { Authorization: "Bearer x" },
    });
    expect(wrong.headers.get("WWW-Authenticate")).toBe(`Bearer error="invalid_token", resource_metadata="${where}"`);
    const [one, other, server] = await Promise.all(
      [where, where.slice(0, -4), "/.well-known/oauth-authorization-server"].map(async (path) =>
        (await http.api.request(path)).json(),
      ),
    );
    expect(one).toEqual(other);
    expect(one).toMatchObject({ resource: "http://127.0.0.1/mcp", authorization_servers: ["http://127.0.0.1"] });
    expect(server).toMatchObject({ issuer: "http://127.0.0.1", code_challenge_methods_supported: ["S256"] });
  });

  it("gets nothing but the refusal when its person refuses", async () => {
    const program = await OAuthProgram.register(http);
    const { json } = await ada.post("/auth/oauth/refuse", { request: program.request() });
    const answer = new URL(String(json["redirect_to"]));
    expect(String(json["redirect_to"])).toMatch(/^http:\/\/127\.0\.0\.1:3333\/callback\?from=svc&/);
    expect(Object.fromEntries(answer.searchParams)).toEqual({
      from: "svc",
      error: "access_denied",
      state: "a state/?&",
      iss: "http://127.0.0.1",
    });
  });
});

describe("registration", () => {
  it.each([
    "http://desk.example/callback",
    "http://127.0.0.1.desk.example/",
    "http://127.0.0.1@desk.example/",
    "http://localhost:80@desk.example/",
    "https://ada:pw@desk.example/",
    "https://desk.example/#part",
    "javascript:alert(1)",
    "data:text/html,x",
    "desk://callback",
    "https:desk.example",
    String.raw`https://desk.example\@evil.example/`,
    "https://desk.example/ ü",
    `https://desk.example/${"a".repeat(1_000)}`,
    "",
  ])("refuses to answer at %s", async (uri) => {
    const { status, json } = await register(http, { redirect_uris: ["https://desk.example/", uri] });
    expect([status, json["error"]]).toEqual([400, "invalid_redirect_uri"]);
  });

  it.each([
    [{}, "redirect_uris"],
    [{ redirect_uris: [] }, "redirect_uris"],
    [{ redirect_uris: Array.from({ length: 11 }, (_, i) => `https://desk.example/${i}`) }, "redirect_uris"],
    [{ redirect_uris: [CALLBACK], grant_types: ["client_credentials"] }, "grant_types"],
    [{ redirect_uris: [CALLBACK], response_types: ["token"] }, "response_types"],
    [{ redirect_uris: [CALLBACK], client_name: 7 }, "client_name"],
    [[], "The body"],
  ])("refuses %j, and says which part", async (metadata, part) => {
    const { status, json } = await register(http, metadata);
    expect({ status, json }).toMatchObject({ status: 400, json: { error: "invalid_client_metadata" } });
    expect(json["error_description"]).toContain(part);
  });

  it("gives no secret, whatever is asked for, and cleans the name that people will read", async () => {
    const client_name = `\u202eDesk\n\u0000 of ${"Ada".repeat(40)}`;
    const { json } = await register(http, {
      redirect_uris: [CALLBACK],
      client_name,
      token_endpoint_auth_method: "client_secret_basic",
    });
    expect(json).toMatchObject({ token_endpoint_auth_method: "none", grant_types: ["authorization_code"] });
    expect(json).not.toHaveProperty("client_secret");
    expect(json["client_name"]).toMatch(/^Desk of (Ada)+A?d?$/);
  });

  it.each(["\u3164", "\u2800\u2800", "\u034f\ufe0f", "\ufeff\u200b", "\u00a0"])(
    "takes a name without a look for none: %j",
    async (client_name) => {
      const { json } = await register(http, { redirect_uris: [CALLBACK], client_name });
      expect(json["client_name"]).toBe("unnamed client");
    },
  );

  it("is limited by site, however many networks it has", async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 101; i++) {
      const { status } = await register(http, { redirect_uris: [CALLBACK] }, `2001:db8:77:${i.toString(16)}::1`);
      statuses.push(status);
    }
    expect(statuses.slice(-2)).toEqual([201, 429]);
  });

  it("is limited by address, and unused ones are gone after a day, used ones after 90", async () => {
    const address = "10.9.8.7";
    const statuses: number[] = [];
    for (let i = 0; i < 21; i++) statuses.push((await register(http, { redirect_uris: [CALLBACK] }, address)).status);
    expect(statuses.slice(-2)).toEqual([201, 429]);
    const [unused, used, old] = await Promise.all([1, 2, 3].map(() => OAuthProgram.register(http)));
    await http.database.query("update oauth_clients set created_at = now() - interval '25 hours'");
    await http.database.query("update oauth_clients set used_at = now() - interval '89 days' where id = $1", [
      used!.id,
    ]);
    await http.database.query("update oauth_clients set used_at = now() - interval '91 days' where id = $1", [old!.id]);
    await deleteExpiredIdentity(http.database.db, 1_000);
    const statusOf = async (program: OAuthProgram) => (await look(ada, program.request())).status;
    expect(await Promise.all([unused!, used!, old!].map(statusOf))).toEqual([404, 200, 404]);
  });
});
