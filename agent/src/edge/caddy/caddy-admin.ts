import { callLocal, fieldOf } from "../local-http.ts";

/** Caddy answers from memory. */
const TIMEOUT_MS = 3_000;
/** A new configuration waits for open requests (its grace period is 10 s). */
const LOAD_TIMEOUT_MS = 20_000;

/** Caddy's own API. Each call throws an Error when nothing answers or the answer is an error. */
export interface CaddyAdmin {
  /** The configuration that runs; null when Caddy runs without one. */
  config(): Promise<unknown>;
  load(config: object): Promise<void>;
  /** Ends the process after open requests. */
  stop(): Promise<void>;
  /** Root certificate of the internal authority, PEM. */
  internalCaPem(): Promise<string>;
  /** Open requests per dialled `name:port`. Entries without a request may be missing. */
  upstreams(): Promise<{ address: string; requests: number }[]>;
}

export function createCaddyAdmin(socketPath: string): CaddyAdmin {
  const get = (path: string): Promise<unknown> => callLocal({ socketPath }, { path, timeoutMs: TIMEOUT_MS });
  const post = (path: string, body: object): Promise<unknown> =>
    callLocal({ socketPath }, { method: "POST", path, body, timeoutMs: LOAD_TIMEOUT_MS });
  return {
    config: () => get("/config/"),
    load: async (config) => void (await post("/load", config)),
    stop: async () => void (await post("/stop", {})),
    async internalCaPem() {
      const pem = fieldOf(await get("/pki/ca/local"), "root_certificate");
      if (typeof pem !== "string") throw new Error("Caddy's answer holds no root certificate");
      return pem;
    },
    async upstreams() {
      const list = await get("/reverse_proxy/upstreams");
      if (!Array.isArray(list)) return [];
      return list.map((entry: unknown) => ({
        address: String(fieldOf(entry, "address")),
        requests: Number(fieldOf(entry, "num_requests") ?? 0),
      }));
    },
  };
}
