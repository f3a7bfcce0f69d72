import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Answers as HashiCorp Vault's KV version 2 engine does on `secret/` (API documentation, Secrets engines, KV v2). */
export interface VaultDouble {
  url: string;
  token: string;
  /** Path below the mount → its keys; null is a secret whose newest version was deleted. */
  secrets: Map<string, Record<string, unknown> | null>;
  requests: { path: string; headers: Record<string, unknown> }[];
  /** The next answer, in place of the protocol's. */
  answerOnce: { status: number; body: string; headers?: Record<string, string> } | undefined;
  close(): Promise<void>;
}

export async function startVaultDouble(): Promise<VaultDouble> {
  const token = "hvs.token-of-the-double";
  const vault: VaultDouble = {
    url: "",
    token,
    secrets: new Map(),
    requests: [],
    answerOnce: undefined,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
  const server = createServer((req, res) => {
    const path = decodeURIComponent(req.url ?? "");
    vault.requests.push({ path, headers: req.headers });
    const answer = vault.answerOnce ?? { ...answerTo(vault, path, req.headers["x-vault-token"]), headers: {} };
    vault.answerOnce = undefined;
    res.writeHead(answer.status, { "Content-Type": "application/json", ...answer.headers }).end(answer.body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  vault.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return vault;
}

function answerTo(vault: VaultDouble, path: string, token: unknown): { status: number; body: string } {
  const refuse = (status: number, ...errors: string[]) => ({ status, body: JSON.stringify({ errors }) });
  if (token !== vault.token) return refuse(403, "permission denied");
  const name = /^\/v1\/secret\/data\/(.+)$/.exec(path)?.[1];
  const data = name === undefined ? undefined : vault.secrets.get(name);
  if (data === undefined) return refuse(404);
  const metadata = { created_time: "2026-01-31T12:00:00Z", custom_metadata: null, destroyed: false, version: 1 };
  const deletion_time = data === null ? "2026-01-31T12:00:01Z" : "";
  const body = JSON.stringify({ request_id: "1", data: { data, metadata: { ...metadata, deletion_time } } });
  return { status: data === null ? 404 : 200, body };
}
