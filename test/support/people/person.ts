import { inviteUser } from "@svc/control-plane/accounts/identity/joining/invite-user.ts";
import { replyOf, type Reply, type TestApi } from "../api/http.ts";

/** A browser that keeps cookies, and says where it is as browsers do. */
export class Browser {
  readonly #http: TestApi;
  readonly #origin: string;
  /** Its network address: a proxy on this machine tells it. */
  readonly address: string;
  /** By name. */
  readonly #cookies = new Map<string, string>();

  constructor(http: TestApi, { address = randomAddress(), origin = new URL(http.identity.baseUrl).origin } = {}) {
    this.#http = http;
    this.#origin = origin;
    this.address = address;
  }

  /** The header Cookie. */
  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }
  set cookie(header: string) {
    this.#cookies.clear();
    for (const cookie of header.split("; ").filter((each) => each !== "")) this.#keep(cookie);
  }

  /** @param headers that a browser adds, such as those that say where a request comes from */
  get(path: string, headers: Record<string, string> = {}): Promise<Reply> {
    return this.#send("GET", path, { headers });
  }
  delete(path: string): Promise<Reply> {
    return this.send("DELETE", path, "");
  }
  post(path: string, body: unknown = {}): Promise<Reply> {
    return this.send("POST", path, typeof body === "string" ? body : JSON.stringify(body));
  }
  /** @param headers in the place of a page's own */
  send(method: string, path: string, body: string, headers: Record<string, string> = {}): Promise<Reply> {
    return this.#send(method, path, {
      ...(body === "" ? {} : { body }),
      headers: { Origin: this.#origin, "Content-Type": "application/json", ...headers },
    });
  }

  /** Joins as somebody new, and stays signed in. */
  async join(email: string, password = PASSWORD): Promise<Browser> {
    const reply = await this.post("/auth/join", { token: await joinToken(this.#http, email), name: "Ada", password });
    if (reply.status !== 201) throw new Error(`${email} could not join: ${reply.text}`);
    return this;
  }

  signIn(email: string, password = PASSWORD): Promise<Reply> {
    return this.post("/auth/sign-in", { email, password });
  }

  /** Who the service takes it for; undefined when it is not signed in. */
  async who(): Promise<string | undefined> {
    const { status, json } = await this.get("/auth/session");
    return status === 200 ? (json["person"] as { email: string }).email : undefined;
  }

  async #send(method: string, path: string, init: { body?: string; headers?: Record<string, string> } = {}) {
    const { api } = this.#http;
    const headers = { ...init.headers, "X-Forwarded-For": this.address, ...(this.cookie && { Cookie: this.cookie }) };
    const socket = { remoteAddress: "127.0.0.1" };
    const reply = await replyOf(await api.request(path, { method, ...init, headers }, { incoming: { socket } }));
    for (const set of reply.headers.getSetCookie()) {
      this.#keep(set.split(";")[0]!);
      if (set.includes("Max-Age=0")) this.#cookies.delete(set.split("=")[0]!);
    }
    return reply;
  }

  #keep(cookie: string): void {
    const end = cookie.indexOf("=");
    this.#cookies.set(cookie.slice(0, end), cookie.slice(end + 1));
  }
}

export const PASSWORD = "correct horse battery";

/** The token of a fresh invitation by the operator. */
export async function joinToken({ parts: { db }, identity }: TestApi, email: string): Promise<string> {
  return tokenOf((await inviteUser(db, { email, tier: "free", baseUrl: identity.baseUrl })).link);
}

export function tokenOf(link: string): string {
  return new URLSearchParams(new URL(link).hash.slice(1)).get("token") ?? "";
}

/** The bytes of a second factor's secret (RFC 4648). */
export function fromBase32(text: string): Buffer {
  const bits = [...text]
    .map((c) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(c).toString(2).padStart(5, "0"))
    .join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** Some address that no other browser of the tests has. */
export function randomAddress(): string {
  const group = () => Math.floor(Math.random() * 65_536).toString(16);
  return `2001:db8:${group()}:${group()}::1`;
}
