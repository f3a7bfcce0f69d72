import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { EnvError } from "@svc/shared/platform/env.ts";
import { baseUrlOf, readConfig } from "./config.ts";

const directory = mkdtempSync(join(tmpdir(), "svc-config-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test("an empty environment is enough", () => {
  const config = readConfig({});
  expect(config).toMatchObject({
    listen: { host: "127.0.0.1", port: 8080 },
    agentsListen: { host: "127.0.0.1", port: 8443 },
    metricsListen: { host: "127.0.0.1", port: 9181 },
    appsDomain: "apps.localhost",
    appsHttpsPort: 443,
    databaseUrl: undefined,
    unknownVariables: [],
  });
  expect(config.masterKeyFile).toBe(`${config.dataDirectory}/master.key`);
  expect(baseUrlOf(config, { host: "127.0.0.1", port: 1234 })).toBe("http://127.0.0.1:1234");
});

test("every variable of the operating contract is understood", () => {
  const gitHosts = join(directory, "git-hosts.json");
  const gitHost = { host: "git.test", ssh: "ssh://git@git.test:22", known_hosts: ["ssh-ed25519 AAAA"] };
  writeFileSync(gitHosts, JSON.stringify([gitHost]));
  const oidc = join(directory, "oidc.json");
  const provider = { id: "company", name: "Company", issuer: "https://login.example.com", client_id: "svc" };
  writeFileSync(oidc, JSON.stringify([{ ...provider, client_secret_file: "oidc-secret" }]));
  writeFileSync(join(directory, "oidc-secret"), "hunter2\n");
  writeFileSync(join(directory, "llm-key"), "sk-1\n");
  const config = readConfig({
    SVC_LISTEN: "[::1]:0",
    SVC_BASE_URL: "https://api.example.com/",
    SVC_APPS_DOMAIN: "apps.example.com",
    SVC_APPS_HTTPS_PORT: "8443",
    SVC_DATA_DIR: "/data",
    DATABASE_URL: "postgres://u:p@h/d",
    SVC_MASTER_KEY_FILE: "/keys",
    SVC_AGENTS_LISTEN: "0.0.0.0:9443",
    SVC_METRICS_LISTEN: "[::1]:9481",
    SVC_DNS_SERVERS: "127.0.0.1:5353, ::1,9.9.9.9",
    SVC_OUTBOUND_ALLOW: "127.0.0.0/8,fd00::/8",
    SVC_OUTBOUND_CA_FILE: "/ca",
    SVC_ACME_DIRECTORY: "https://acme.example.com/dir",
    SVC_ACME_CA_FILE: "/acme-ca",
    SVC_ACME_EMAIL: "a@b.test",
    SVC_SMTP_URL: "smtps://u:p@h",
    SVC_SIGN_UP: "open",
    SVC_SIGN_UP_DOMAINS: "example.com, Example.ORG",
    SVC_OIDC_FILE: oidc,
    SVC_LLM_URL: "http://127.0.0.1:11434/v1/",
    SVC_LLM_MODEL: "small-1",
    SVC_LLM_KEY_FILE: join(directory, "llm-key"),
    SVC_TEMPLATES_DIR: "/templates",
    SVC_GIT_HOSTS_FILE: gitHosts,
    SVC_TLS_CERT_FILE: "/cert",
    SVC_TLS_KEY_FILE: "/key",
    SVC_TYPO: "1",
  });
  expect(config.unknownVariables).toEqual(["SVC_TYPO"]);
  expect(config.baseUrl).toBe("https://api.example.com");
  expect(config.metricsListen).toEqual({ host: "::1", port: 9481 });
  expect(config.dnsServers).toEqual(["127.0.0.1:5353", "::1", "9.9.9.9"]);
  expect(config.deployKeyHosts.map(({ host }) => host)).toEqual(["git.test"]);
  expect(config.signUp).toEqual({ mode: "open", domains: ["example.com", "example.org"] });
  expect(config.model).toEqual({ url: "http://127.0.0.1:11434/v1", name: "small-1", key: "sk-1" });
  // The secret's file is beside the one that names it.
  expect(config.oidcProviders).toMatchObject([{ id: "company", clientSecret: "hunter2" }]);
  expect(config.outbound.allowCidrs).toEqual(["127.0.0.0/8", "fd00::/8"]);
});

test.each([
  ["SVC_LISTEN", "8080"],
  ["SVC_BASE_URL", "example.com"],
  ["SVC_APPS_DOMAIN", "Apps_Domain"],
  ["SVC_APPS_HTTPS_PORT", "70000"],
  ["DATABASE_URL", "mysql://x"],
  ["SVC_DNS_SERVERS", "dns.example.com"],
  ["SVC_ACME_DIRECTORY", "http://acme.example.com/dir"],
  ["SVC_OUTBOUND_ALLOW", "10.0.0.0/40"],
  ["SVC_SIGN_UP", "everybody"],
  ["SVC_SIGN_UP_DOMAINS", "@example.com"],
  ["SVC_OIDC_FILE", "/nowhere/oidc.json"],
  ["SVC_SMTP_URL", "http://x"],
  ["SVC_SMTP_URL", "smtp://u:p#w@h"],
  ["SVC_LLM_URL", "llm.example.com"],
  ["SVC_TIERS_FILE", "/nowhere/tiers.json"],
  ["SVC_GIT_HOSTS_FILE", "/nowhere/git-hosts.json"],
  ["SVC_TLS_CERT_FILE", "/cert"],
])("a %s that does not parse is named, with what is allowed", (name, value) => {
  expect(() => readConfig({ [name]: value })).toThrow(EnvError);
  expect(() => readConfig({ [name]: value })).toThrow(
    name.startsWith("SVC_TLS") ? /SVC_TLS_KEY_FILE/ : new RegExp(`^${name} is .*; allowed is`),
  );
});

test("a password in an address that does not parse is not repeated", () => {
  expect(() => readConfig({ DATABASE_URL: "mysql://u:hunter2@h" })).toThrow(/^(?!.*hunter2)/);
});

test("a model needs address and name, and a key's file that is there; no secret is repeated", () => {
  const SVC_LLM_URL = "https://llm.example.com/v1";
  expect(readConfig({ SVC_LLM_URL, SVC_LLM_MODEL: "m" }).model).toEqual({ url: SVC_LLM_URL, name: "m" });
  expect(() => readConfig({ SVC_LLM_URL })).toThrow(
    'SVC_LLM_MODEL is ""; allowed is the name of a model at SVC_LLM_URL, which is needed together with it.',
  );
  for (const alone of [{ SVC_LLM_MODEL: "m" }, { SVC_LLM_KEY_FILE: "/key" }]) {
    expect(() => readConfig(alone)).toThrow(/^SVC_LLM_URL is ""; allowed is .*, since SVC_LLM_/);
  }
  for (const address of ["https://u:hunter2@llm.example.com", "https://llm.example.com/?key=hunter2"]) {
    expect(() => readConfig({ SVC_LLM_URL: address, SVC_LLM_MODEL: "m" })).toThrow(/^SVC_LLM_URL(?!.*hunter2)/);
  }
  writeFileSync(join(directory, "two-keys"), "hunter2\nhunter3\n");
  for (const file of ["/nowhere/key", join(directory, "two-keys")]) {
    const variables = { SVC_LLM_URL, SVC_LLM_MODEL: "m", SVC_LLM_KEY_FILE: file };
    expect(() => readConfig(variables)).toThrow(/^SVC_LLM_KEY_FILE is (?!.*hunter)/);
  }
});

test("a database address that the driver can't read is refused without repeating it", () => {
  for (const DATABASE_URL of [
    "postgres://u:hunter2@h:99999/d",
    "postgres://u:hunter2@h:port/d",
    "mysql://u:hunter2@h/d",
  ]) {
    expect(() => readConfig({ DATABASE_URL })).toThrow(/^DATABASE_URL is "not a PostgreSQL address"/);
  }
  for (const databaseUrl of [
    "postgres:///d?host=/run/postgresql",
    "postgres://u@/d?host=/run",
    "postgres://u:p@[::1]:1/d",
  ]) {
    expect(readConfig({ DATABASE_URL: databaseUrl })).toMatchObject({ databaseUrl });
  }
});

test("the base URL of a control plane that listens everywhere is one that can be called", () => {
  for (const host of ["0.0.0.0", "::"]) {
    expect(baseUrlOf(readConfig({}), { host, port: 81 })).toBe("http://127.0.0.1:81");
  }
  const baseUrl = "https://api.example.com";
  expect(baseUrlOf(readConfig({ SVC_BASE_URL: baseUrl }), { host: "0.0.0.0", port: 81 })).toBe(baseUrl);
});
