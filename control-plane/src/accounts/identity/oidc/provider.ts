import { isRecord, requireJson } from "@svc/shared/json.ts";
import { isIPv4 } from "node:net";

/** A service that proves who somebody is, by OpenID Connect. */
export interface OidcProvider {
  /** Is a part of the redirect URI. */
  id: string;
  /** The name that people know it by. */
  name: string;
  /** An address in the form of `URL.href`. */
  issuer: string;
  clientId: string;
  clientSecret: string;
}

const PROPERTIES = ["id", "name", "issuer", "client_id", "client_secret_file"] as const;
const ID = /^[a-z0-9][a-z0-9-]{0,31}$/;
const NAME_LENGTH_MAX = 50;

/**
 * Reads the file that SVC_OIDC_FILE names.
 * @param readSecret reads a file that an entry names
 * @throws Error with a sentence that names the entry and the property
 */
export function parseOidcProviders(text: string, readSecret: (file: string) => string): OidcProvider[] {
  const document = requireJson(text);
  if (!Array.isArray(document)) throw new Error("it must be a JSON array of providers");
  const providers = document.map((entry: unknown, index) => parseProvider(entry, `entry ${index + 1}`, readSecret));
  for (const property of ["id", "issuer"] as const) {
    const values = providers.map((provider) => provider[property]);
    const twice = values.find((value, index) => values.indexOf(value) !== index);
    if (twice !== undefined) throw new Error(`two entries have the ${property} ${twice}`);
  }
  return providers;
}

/** Whether the host of a URL is this machine. */
function isLoopbackHost(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || (isIPv4(hostname) && hostname.startsWith("127."));
}

function parseProvider(entry: unknown, where: string, readSecret: (file: string) => string): OidcProvider {
  if (!isRecord(entry)) {
    throw new Error(`${where} must be an object with ${PROPERTIES.join(", ")}`);
  }
  const unknown = Object.keys(entry).find((key) => !PROPERTIES.some((property) => property === key));
  if (unknown !== undefined) {
    throw new Error(`${where} has an unknown property ${unknown}; allowed are ${PROPERTIES.join(", ")}`);
  }
  const values = entry as Partial<Record<(typeof PROPERTIES)[number], unknown>>;
  function textOf(property: (typeof PROPERTIES)[number]): string {
    const value = values[property];
    if (typeof value !== "string" || value.trim() === "" || /\p{Cc}/u.test(value)) {
      throw new Error(`${property} of ${where} must be a text of one line`);
    }
    return value;
  }
  const [id, name] = [textOf("id"), textOf("name")];
  if (!ID.test(id)) {
    throw new Error(`id of ${where} must have at most 32 of the characters a-z, 0-9 and -, such as "company"`);
  }
  if (name.length > NAME_LENGTH_MAX)
    throw new Error(`name of ${where} must have at most ${NAME_LENGTH_MAX} characters`);
  const issuer = parseIssuer(textOf("issuer"));
  if (issuer === undefined) {
    throw new Error(
      `issuer of ${where} must be an https:// address without credentials, query and fragment; http:// is allowed for this machine alone`,
    );
  }
  const clientId = textOf("client_id");
  return { id, name, issuer, clientId, clientSecret: secretOf(textOf("client_secret_file"), where, readSecret) };
}

/** OpenID Connect Discovery 1.0, section 3: an issuer has no query and no fragment. */
function parseIssuer(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url || url.username !== "" || url.password !== "" || /[?#]/.test(text)) return undefined;
  const isSafe = url.protocol === "https:" || (url.protocol === "http:" && isLoopbackHost(url.hostname));
  return isSafe ? url.href : undefined;
}

/** The secret is in no message. */
function secretOf(file: string, where: string, readSecret: (file: string) => string): string {
  let secret: string;
  try {
    secret = readSecret(file).trim();
  } catch (error) {
    throw new Error(`client_secret_file of ${where} can't be read: ${(error as Error).message}`, { cause: error });
  }
  if (secret === "" || /\p{Cc}/u.test(secret)) {
    throw new Error(`client_secret_file of ${where}, ${file}, must hold the client's secret and nothing else`);
  }
  return secret;
}
