import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { EnvError, EnvReader, formatHostPort, isWildcard, type HostPort } from "@svc/shared/platform/env.ts";
import { isDnsServer } from "@svc/shared/net/resolve-host.ts";
import {
  DEFAULT_DEPLOY_KEY_HOSTS,
  parseDeployKeyHosts,
  type DeployKeyHost,
} from "./apps/deploy-keys/deploy-key-host.ts";
import { SIGN_UP_MODES, type SignUpPolicy } from "./accounts/identity/joining/sign-up-policy.ts";
import { parseOidcProviders, type OidcProvider } from "./accounts/identity/oidc/provider.ts";
import type { ModelConfig } from "./assistant/chat/model/ask-model.ts";
import { DEFAULT_TIERS, parseTiers, type Tiers } from "./accounts/tier.ts";

/** The variables of the operating contract (Control plane environment), parsed. */
export interface Config {
  /** SVC_LISTEN; port 0 lets the system choose. */
  listen: HostPort;
  tls: { certFile: string; keyFile: string } | undefined;
  /** {base_url}, without a slash at the end; undefined: follows from where it listens. */
  baseUrl: string | undefined;
  appsDomain: string;
  appsHttpsPort: number;
  /** Absolute path. */
  dataDirectory: string;
  /** Undefined: the embedded PostgreSQL. */
  databaseUrl: string | undefined;
  masterKeyFile: string;
  agentsListen: HostPort;
  /** SVC_METRICS_LISTEN: where `GET /metrics` is. */
  metricsListen: HostPort;
  /** `address[:port]` each; empty for the system's. */
  dnsServers: readonly string[];
  outbound: { allowCidrs: readonly string[]; caFile: string | undefined };
  /** `internal` in the place of a directory: the hosts' internal authorities for all names. */
  acme: { directory: string | undefined; caFile: string | undefined; email: string | undefined };
  /** SVC_APPS_CERT_FILE and SVC_APPS_KEY_FILE: the operator's own certificate for hosts of apps. */
  appsCertificate: { certFile: string; keyFile: string } | undefined;
  /** SVC_SMTP_URL; undefined: mails go to the log and to `mail/` in the data directory. */
  smtpUrl: string | undefined;
  /** SVC_SIGN_UP and SVC_SIGN_UP_DOMAINS. */
  signUp: SignUpPolicy;
  /** SVC_OIDC_FILE. */
  oidcProviders: readonly OidcProvider[];
  /** SVC_LLM_URL, SVC_LLM_MODEL and SVC_LLM_KEY_FILE; undefined: a grammar answers in the chat. */
  model: ModelConfig | undefined;
  tiers: Tiers;
  templatesDirectory: string | undefined;
  deployKeyHosts: readonly DeployKeyHost[];
  /** Variables with our prefix that mean nothing. */
  unknownVariables: readonly string[];
}

/** Is read by others than the control plane, but often set for all of them. */
const VARIABLES_OF_OTHERS = new Set(["SVC_URL", "SVC_API_KEY", "SVC_CONTROL_PLANE", "SVC_JOIN_TOKEN"]);

/** @throws EnvError for the first value that does not parse */
export function readConfig(variables: Readonly<Record<string, string | undefined>>): Config {
  const env = new EnvReader(variables);
  const dataDirectory = resolve(env.text("SVC_DATA_DIR") ?? join(homedir(), ".svc", "control-plane"));
  return {
    listen: env.address("SVC_LISTEN") ?? { host: "127.0.0.1", port: 8080 },
    tls: readPair(env, "SVC_TLS_CERT_FILE", "SVC_TLS_KEY_FILE"),
    baseUrl: env.parsed("SVC_BASE_URL", "an http:// or https:// address such as https://api.example.com", parseBaseUrl),
    appsDomain:
      env.parsed("SVC_APPS_DOMAIN", "a lower-case host name such as apps.example.com", parseDomain) ?? "apps.localhost",
    appsHttpsPort: env.integer("SVC_APPS_HTTPS_PORT", { min: 1, max: 65_535 }) ?? 443,
    dataDirectory,
    databaseUrl: readDatabaseUrl(env),
    masterKeyFile: resolve(env.text("SVC_MASTER_KEY_FILE") ?? join(dataDirectory, "master.key")),
    agentsListen: env.address("SVC_AGENTS_LISTEN") ?? { host: "127.0.0.1", port: 8443 },
    metricsListen: env.address("SVC_METRICS_LISTEN") ?? { host: "127.0.0.1", port: 9181 },
    dnsServers: env.parsed("SVC_DNS_SERVERS", "address[:port], comma separated", listOf(parseDnsServer)) ?? [],
    outbound: {
      allowCidrs:
        env.parsed("SVC_OUTBOUND_ALLOW", "CIDRs such as 10.0.0.0/8, comma separated", listOf(parseCidr)) ?? [],
      caFile: env.text("SVC_OUTBOUND_CA_FILE"),
    },
    acme: {
      directory: env.parsed("SVC_ACME_DIRECTORY", "an https:// address, or internal", parseAcmeDirectory),
      caFile: env.text("SVC_ACME_CA_FILE"),
      email: env.text("SVC_ACME_EMAIL"),
    },
    appsCertificate: readPair(env, "SVC_APPS_CERT_FILE", "SVC_APPS_KEY_FILE"),
    smtpUrl: readSmtpUrl(env),
    signUp: {
      mode: env.parsed("SVC_SIGN_UP", SIGN_UP_MODES.join(", "), parseSignUpMode) ?? "invite",
      domains:
        env.parsed("SVC_SIGN_UP_DOMAINS", "domains such as example.com, comma separated", listOf(parseMailDomain)) ??
        [],
    },
    oidcProviders: readOidcProviders(env),
    model: readModel(env),
    tiers: readTiers(env),
    templatesDirectory: env.text("SVC_TEMPLATES_DIR"),
    deployKeyHosts: readDeployKeyHosts(env),
    unknownVariables: env.unknown("SVC_").filter((name) => !VARIABLES_OF_OTHERS.has(name)),
  };
}

/** {base_url} of a control plane that listens there. */
export function baseUrlOf({ baseUrl, tls }: Pick<Config, "baseUrl" | "tls">, address: HostPort): string {
  const host = isWildcard(address) ? "127.0.0.1" : address.host;
  return baseUrl ?? `${tls ? "https" : "http"}://${formatHostPort({ ...address, host })}`;
}

function readPair(env: EnvReader, certVariable: string, keyVariable: string): Config["tls"] {
  const certFile = env.text(certVariable);
  const keyFile = env.text(keyVariable);
  if (certFile !== undefined && keyFile !== undefined) return { certFile, keyFile };
  const missing = certFile === undefined ? certVariable : keyVariable;
  if (certFile !== undefined || keyFile !== undefined) {
    throw new EnvError(missing, "", "a file, since certificate and key are needed together");
  }
  return undefined;
}

/** The values of these two hold passwords, so they are not repeated when they do not parse. */
function readDatabaseUrl(env: EnvReader): string | undefined {
  const url = env.text("DATABASE_URL");
  if (url !== undefined && !(/^postgres(ql)?:\/\/./.test(url) && isParsedByDriver(url))) {
    throw new EnvError("DATABASE_URL", "not a PostgreSQL address", "postgres://user:password@host:port/database");
  }
  return url;
}

/** The driver's own rule: a URL, whose host may be missing when it is in `?host=`. */
function isParsedByDriver(url: string): boolean {
  return URL.canParse(url) || URL.canParse(url.replace("@/", "@localhost/"));
}

function readSmtpUrl(env: EnvReader): string | undefined {
  const url = env.text("SVC_SMTP_URL");
  if (url !== undefined && !(/^smtps?:\/\/./.test(url) && URL.canParse(url))) {
    throw new EnvError("SVC_SMTP_URL", "not an SMTP address", "smtp://user:password@host:port or smtps://…");
  }
  return url;
}

/** The URL is not repeated when it does not parse: it may hold a password. */
function readModel(env: EnvReader): ModelConfig | undefined {
  const [text, name, keyFile] = [env.text("SVC_LLM_URL"), env.text("SVC_LLM_MODEL"), env.text("SVC_LLM_KEY_FILE")];
  if (text === undefined) {
    const set = name !== undefined ? "SVC_LLM_MODEL" : "SVC_LLM_KEY_FILE";
    if (name === undefined && keyFile === undefined) return undefined;
    throw new EnvError("SVC_LLM_URL", "", `the address of the model's API, since ${set} is set`);
  }
  const url = parseBaseUrl(text);
  if (url === undefined) {
    throw new EnvError(
      "SVC_LLM_URL",
      "not an address of an API",
      "an http:// or https:// address without a user, a query or a fragment, such as https://llm.example.com/v1; a key is in SVC_LLM_KEY_FILE",
    );
  }
  if (name === undefined) {
    throw new EnvError("SVC_LLM_MODEL", "", "the name of a model at SVC_LLM_URL, which is needed together with it");
  }
  return { url, name, ...(keyFile !== undefined && { key: readModelKey(keyFile) }) };
}

function readModelKey(file: string): string {
  try {
    const key = readFileSync(file, "utf8").trim();
    if (/^[\x21-\x7e]+$/.test(key)) return key;
  } catch (error) {
    throw new EnvError(
      "SVC_LLM_KEY_FILE",
      file,
      `a readable file with the model's key, but ${(error as Error).message}`,
    );
  }
  throw new EnvError("SVC_LLM_KEY_FILE", file, "a file with the model's key, on one line and nothing else");
}

function readTiers(env: EnvReader): Tiers {
  const file = env.text("SVC_TIERS_FILE");
  if (file === undefined) return DEFAULT_TIERS;
  try {
    return parseTiers(readFileSync(file, "utf8"));
  } catch (error) {
    throw new EnvError("SVC_TIERS_FILE", file, `a readable file of tiers, but ${(error as Error).message}`);
  }
}

function readOidcProviders(env: EnvReader): readonly OidcProvider[] {
  const file = env.text("SVC_OIDC_FILE");
  if (file === undefined) return [];
  try {
    return parseOidcProviders(readFileSync(file, "utf8"), (secretFile) =>
      readFileSync(resolve(dirname(file), secretFile), "utf8"),
    );
  } catch (error) {
    throw new EnvError("SVC_OIDC_FILE", file, `a readable file of OpenID providers, but ${(error as Error).message}`);
  }
}

function readDeployKeyHosts(env: EnvReader): readonly DeployKeyHost[] {
  const file = env.text("SVC_GIT_HOSTS_FILE");
  if (file === undefined) return DEFAULT_DEPLOY_KEY_HOSTS;
  try {
    return parseDeployKeyHosts(readFileSync(file, "utf8"));
  } catch (error) {
    throw new EnvError("SVC_GIT_HOSTS_FILE", file, `a readable file of git hosts, but ${(error as Error).message}`);
  }
}

function parseBaseUrl(value: string): string | undefined {
  const url = URL.parse(value);
  const fits = url && /^https?:$/.test(url.protocol) && url.username === "" && url.search === "" && url.hash === "";
  return fits ? value.replace(/\/+$/, "") : undefined;
}

function parseAcmeDirectory(value: string): string | undefined {
  return value === "internal" || parseBaseUrl(value)?.startsWith("https:") ? value : undefined;
}

function parseDomain(value: string): string | undefined {
  const label = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?";
  return value.length <= 189 && new RegExp(`^${label}(\\.${label})*$`).test(value) ? value : undefined;
}

function parseSignUpMode(value: string): SignUpPolicy["mode"] | undefined {
  return SIGN_UP_MODES.find((mode) => mode === value);
}

function parseMailDomain(value: string): string | undefined {
  return parseDomain(value.toLowerCase());
}

function parseDnsServer(value: string): string | undefined {
  return isDnsServer(value) ? value : undefined;
}

function parseCidr(value: string): string | undefined {
  const match = /^([^/]+)\/([0-9]{1,3})$/.exec(value);
  const bitsMax = { 0: -1, 4: 32, 6: 128 }[isIP(match?.[1] ?? "")] ?? -1;
  return match && Number(match[2]) <= bitsMax ? value : undefined;
}

function listOf(parse: (item: string) => string | undefined): (value: string) => string[] | undefined {
  return (value) => {
    const items = value.split(",").map((item) => parse(item.trim()));
    return items.every((item) => item !== undefined) ? items : undefined;
  };
}
