import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { commandProvider } from "svc-cli/secrets/command.ts";
import { vaultProvider } from "svc-cli/secrets/vault.ts";
import { startSvcWorld, type SvcWorld } from "../../support/svc/svc-world.ts";
import { startVaultDouble, type VaultDouble } from "../../support/doubles/vault-double.ts";

const CANARY = "canary-of-the-secrets-manager";

let world: SvcWorld;
let vault: VaultDouble;

beforeAll(async () => {
  world = await startSvcWorld();
  vault = await startVaultDouble();
  // An app that exists has its variables set before its deploy is asked for, which waits: no server is there.
  await world.caller.call("POST", "/api/apps", { name: "shop", repo_url: "https://github.com/you/shop" });
  await world.user.write({ "svc.yaml": "# spec: svc/v1\nname: shop\nenv: [A, B, C]\n", ".env": "C=from-file\n" });
});
afterAll(async () => {
  await vault?.close();
  await world?.stop();
});
beforeEach(async () => {
  await world.http.database.query("delete from env_vars");
  vault.secrets.clear();
  vault.requests.length = 0;
});

const envOf = async () => (await world.caller.call("GET", "/api/apps/shop/env")).json["env"];
/** Runs `up` up to its keys; the folder is in no repository, and pushing it is not this test's subject. */
const up = (env: Record<string, string>, ...argv: string[]) =>
  world.user.svc(["up", "--json", ...argv], { env: { VAULT_ADDR: vault.url, VAULT_TOKEN: vault.token, ...env } });

test("Vault is asked for the keys that the app lacks, with its token as a header", async () => {
  vault.secrets.set("team/shop", { A: "1", B: CANARY, OTHER: "x" });
  const outcome = await up({ SVC_VAULT_PATH: "secret/team/shop", VAULT_NAMESPACE: "ns" });
  expect(vault.requests).toMatchObject([
    { path: "/v1/secret/data/team/shop", headers: { "x-vault-token": vault.token, "x-vault-namespace": "ns" } },
  ]);
  expect(outcome.stdout + outcome.stderr).not.toContain(CANARY);
  expect(outcome.stdout + outcome.stderr).not.toContain(vault.token);
  // All keys were found: what follows is the push, whose address is not this listener's.
  expect(outcome.events.at(-1)?.["message"]).not.toContain("The app needs");
});

test("a secret that is not there, or was deleted, has no keys: all that are missing are named", async () => {
  for (const data of [undefined, null]) {
    if (data === null) vault.secrets.set("shop", data);
    const outcome = await up({}, "--vault", "secret/shop");
    expect(outcome.status).toBe(2);
    expect(outcome.events.at(-1)?.["message"]).toMatch(/The app needs A, B, and none of .*Vault at 127\.0\.0\.1/);
  }
  expect(await envOf()).toEqual({});
});

test.each([
  ["a refused token", { VAULT_TOKEN: "wrong" }, undefined, 1, "refuses the token"],
  ["no token", { VAULT_TOKEN: "" }, undefined, 3, "VAULT_TOKEN"],
  ["nobody there", { VAULT_ADDR: "http://127.0.0.1:9" }, undefined, 4, "can't be reached"],
  ["an error of Vault's", {}, { status: 500, body: `{"errors":["${CANARY}"]}` }, 1, "answered 500"],
  ["another engine", {}, { status: 200, body: `{"data":{"A":"${CANARY}"}}` }, 1, "version 2"],
  ["no JSON", {}, { status: 200, body: CANARY }, 1, "version 2"],
  ["a redirect", {}, { status: 307, body: "", headers: { location: "http://127.0.0.1:9/" } }, 4, "can't be reached"],
])("%s ends up, without a word of a secret", async (_what, env, answer, status, sentence) => {
  vault.answerOnce = answer;
  const outcome = await up({ SVC_VAULT_PATH: "secret/shop", ...env });
  vault.answerOnce = undefined;
  expect(outcome.status).toBe(status);
  expect(outcome.events.at(-1)?.["message"]).toContain(sentence);
  expect(outcome.stdout + outcome.stderr).not.toContain(CANARY);
});

test("a path without a mount is wrong use", async () => {
  expect((await up({ SVC_VAULT_PATH: "shop" })).events.at(-1)).toMatchObject({ code: "wrong_use", exit: 2 });
});

async function program(name: string, body: string): Promise<string> {
  await world.user.write({ [name]: `#!${process.execPath}\n${body}` });
  await chmod(join(world.user.folder, name), 0o755);
  return `./${name} --flag`;
}
const withCommand = (command: string) => up({ SVC_SECRETS_COMMAND: command });

test("a command gets the keys on standard input, without a shell, and answers in JSON", async () => {
  const answer = `
    const keys = require("node:fs").readFileSync(0, "utf8").trim().split("\\n");
    process.stdout.write(JSON.stringify({ A: "${CANARY}", GOT: keys.join("+") + process.argv.slice(2) }));`;
  const outcome = await withCommand(await program("give", answer));
  expect(outcome.events.at(-1)?.["message"]).toMatch(/^The app needs B, and none of/);
  expect(outcome.stdout).not.toContain(CANARY);
});

test.each([
  ["that fails", `process.stdout.write("${CANARY}"); process.exit(7);`, "ended with 7"],
  ["that answers no JSON", `process.stdout.write("${CANARY}");`, "one JSON object"],
  ["that answers something else than texts", `process.stdout.write('{"A": {"${CANARY}": 1}}');`, "one JSON object"],
  ["that never stops talking", `setInterval(() => process.stdout.write("${CANARY}".repeat(1e5)), 0);`, "was ended by"],
])("a command %s ends up, without a word of what it said", async (_what, body, sentence) => {
  const outcome = await withCommand(await program("bad", body));
  expect(outcome.status).toBe(1);
  expect(outcome.events.at(-1)?.["message"]).toContain(sentence);
  expect(outcome.stdout + outcome.stderr).not.toContain(CANARY);
});

test("a command that is not there says so", async () => {
  const outcome = await withCommand("./none");
  expect([outcome.status, outcome.events.at(-1)?.["code"]]).toEqual([1, "secrets_failed"]);
});

test("a name that every object has is no value", async () => {
  vault.secrets.set("shop", {});
  const command = await program("empty", 'process.stdout.write("{}");');
  const env = { VAULT_ADDR: vault.url, VAULT_TOKEN: vault.token };
  for (const provider of [commandProvider(command, world.user.folder), vaultProvider("secret/shop", env)]) {
    expect([...(await provider.read(["toString", "__proto__", "constructor"]))]).toEqual([]);
  }
});
