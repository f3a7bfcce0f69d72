import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { CliError, EXIT, failed, wrongUse } from "../output/cli-error.ts";
import type { SecretsProvider } from "./provider.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** A secret of at most 1 MiB, Vault's own limit, and what is around it. */
const ANSWER_BYTES_MAX = 2 * 1024 * 1024;
const ANSWER_MS_MAX = 15_000;

/**
 * HashiCorp Vault, KV version 2: one secret whose keys are the variables.
 * @param path mount and path, "secret/shop"
 * @throws CliError wrong_use when VAULT_ADDR or the path can't be used
 */
export function vaultProvider(path: string, env: Env): SecretsProvider {
  const [mount = "", ...rest] = path.split("/").filter((part) => part !== "");
  if (rest.length === 0) throw wrongUse(`The Vault path ${JSON.stringify(path)} must be MOUNT/PATH, like secret/shop.`);
  const address = env["VAULT_ADDR"] || "https://127.0.0.1:8200";
  if (!/^https?:\/\//.test(address) || !URL.canParse(address)) {
    throw wrongUse("VAULT_ADDR must be Vault's address, like https://vault.example.com:8200.");
  }
  const place = [mount, "data", ...rest].map(encodeURIComponent).join("/");
  const url = `${address.replace(/\/+$/, "")}/v1/${place}`;
  const name = `Vault at ${new URL(address).host}, ${path}`;
  return {
    name,
    async read(keys) {
      const data = await readSecret(url, name, env);
      return new Map(
        keys.flatMap((key) => {
          const value = Object.hasOwn(data, key) ? data[key] : undefined;
          if (value === undefined || value === null) return [];
          return [[key, typeof value === "string" ? value : JSON.stringify(value)] as const];
        }),
      );
    },
  };
}

async function readSecret(url: string, name: string, env: Env): Promise<Readonly<Record<string, unknown>>> {
  const headers = await headersOf(env, name);
  const signal = AbortSignal.timeout(ANSWER_MS_MAX);
  // A token must not follow a redirect to somebody else.
  const response = await fetch(url, { headers, redirect: "error", signal }).catch((error: unknown) => {
    const { code, message } = ((error as Error).cause ?? error) as { code?: string; message?: string };
    throw new CliError("secrets_unreachable", `${name} can't be reached: ${code ?? message}.`, EXIT.unreachable);
  });
  const text = await boundedText(response, name);
  if (response.status === 404) return {};
  if (response.status === 403)
    throw failed("secrets_refused", `${name} refuses the token: it may lack the policy to read there.`);
  if (!response.ok) throw failed("secrets_failed", `${name} answered ${response.status}.`);
  try {
    const { data } = JSON.parse(text) as { data?: { data?: Record<string, unknown> | null } };
    if (typeof data?.data === "object") return data.data ?? {};
  } catch {
    // Said below, without the text: it may hold secrets.
  }
  throw failed("secrets_failed", `${name} gave no KV version 2 secret: is the mount of version 2?`);
}

async function boundedText(response: Response, name: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength;
    if (length > ANSWER_BYTES_MAX) throw failed("secrets_failed", `${name} answers with more than a secret can be.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The token from VAULT_TOKEN, or where `vault login` keeps it. @throws CliError not_authenticated */
async function headersOf(env: Env, name: string): Promise<Record<string, string>> {
  const file = join(env["HOME"] || homedir(), ".vault-token");
  const token = env["VAULT_TOKEN"] || (await readFile(file, "utf8").catch(() => "")).trim();
  if (token === "") {
    throw new CliError(
      "not_authenticated",
      `${name} needs a token: set VAULT_TOKEN or run \`vault login\`.`,
      EXIT.unauthenticated,
    );
  }
  const namespace = env["VAULT_NAMESPACE"];
  return { "X-Vault-Token": token, "X-Vault-Request": "true", ...(namespace && { "X-Vault-Namespace": namespace }) };
}
