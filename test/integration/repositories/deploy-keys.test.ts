import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type Caller, type TestApi } from "../../support/api/http.ts";
import { promise } from "../../support/promises/promise.ts";

let api: TestApi;
let owner: Caller;

beforeAll(async () => {
  api = await startTestApi();
  owner = await api.addCaller();
});
afterAll(() => api?.stop());

let count = 0;
async function createApp(repoUrl = "https://github.com/you/shop.git"): Promise<{ name: string; path: string }> {
  const name = `keyed-${(count += 1)}`;
  expect((await owner.call("POST", "/api/apps", { name, repo_url: repoUrl })).status).toBe(201);
  return { name, path: `/api/apps/${name}/deploy-key` };
}

/** As ssh-keygen prints it. */
async function fingerprintOf(publicKey: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "svc-deploy-keys-"));
  try {
    const file = join(directory, "key.pub");
    await writeFile(file, `${publicKey}\n`);
    const { stdout } = await promisify(execFile)("ssh-keygen", ["-lf", file]);
    return stdout.split(" ")[1]!;
  } finally {
    await rm(directory, { recursive: true });
  }
}

test("a key is made once, read, removed, and made anew", async () => {
  promise(
    "deploy keys",
    "an app's deploy key is an ed25519 pair, whose public half is answered when it is made",
    "a deploy key is read as its public half and its fingerprint",
    "a deploy key can be removed",
  );
  const { name, path } = await createApp();
  expect((await owner.call("GET", path)).status).toBe(404);
  expect((await owner.call("DELETE", path)).status).toBe(404);

  const made = await owner.call("POST", path);
  expect(made.status).toBe(201);
  expect(made.json).toEqual({
    public_key: expect.stringMatching(new RegExp(`^ssh-ed25519 AAAA[A-Za-z0-9+/]+ svc:${name}$`)),
    fingerprint: await fingerprintOf(String(made.json["public_key"])),
    created_at: expect.stringMatching(/Z$/),
  });
  const read = await owner.call("GET", path);
  expect([read.status, read.json]).toEqual([200, made.json]);

  const again = await owner.call("POST", path);
  expect([again.status, again.json["error"]]).toEqual([409, "deploy_key_exists"]);

  expect((await owner.call("DELETE", path)).status).toBe(204);
  const fresh = await owner.call("POST", path);
  expect(fresh.status).toBe(201);
  expect(fresh.json["public_key"]).not.toBe(made.json["public_key"]);
});

test("one of many requests at once makes the key", async () => {
  const { path } = await createApp();
  const answers = await Promise.all(Array.from({ length: 8 }, () => owner.call("POST", path)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array.from({ length: 7 }, () => 409)]);
});

test("the private key is stored sealed and shown nowhere", async () => {
  const { path } = await createApp();
  const made = await owner.call("POST", path);
  const { rows } = await api.database.query("select private_key, public_key from deploy_keys");
  for (const row of rows) expect(String(row["private_key"])).not.toContain("OPENSSH");
  const { rows: audited } = await api.database.query("select * from audit_log where action like 'deploy_key.%'");
  expect(JSON.stringify([made.json, audited])).not.toContain("PRIVATE KEY");
  expect(audited.at(-1)).toMatchObject({
    action: "deploy_key.create",
    detail: { fingerprint: made.json["fingerprint"] },
  });
});

test("a repository of another form is refused on all three calls, before anything else about the key", async () => {
  promise("deploy keys", "a deploy key is for a GitHub repository; another one is refused with 422");
  const { path } = await createApp("https://git.example/you/shop.git");
  for (const method of ["POST", "GET", "DELETE"]) {
    const answer = await owner.call(method, path);
    expect([answer.status, answer.json["error"]]).toEqual([422, "deploy_key_unsupported"]);
    expect(answer.json["detail"]).toMatch(/https:\/\/github\.com\/<owner>\/<repo>/);
  }
});

test("a key with scopes, another owner and an unverified one are refused", async () => {
  promise("deploy keys", "an API key with scopes changes no deploy key");
  const { name, path } = await createApp();
  const scoped = await api.addCaller({ userId: owner.userId, scopes: ["apps:read", "apps:write", "deploys:write"] });
  const limited = await api.addCaller({ userId: owner.userId, apps: ["another"] });
  const stranger = await api.addCaller();
  const unverified = await api.addCaller({ verified: false });
  for (const method of ["POST", "GET", "DELETE"]) {
    for (const caller of [scoped, limited]) {
      const answer = await caller.call(method, path);
      expect([answer.status, answer.json["error"]]).toEqual([403, "insufficient_scope"]);
    }
    expect((await stranger.call(method, path)).status).toBe(404);
  }
  expect((await unverified.call("POST", path)).json["error"]).toBe("email_not_verified");
  expect((await owner.call("GET", `/api/apps/${name}/deploy-key`)).status).toBe(404);
});

test("an app that is gone takes its key with it", async () => {
  const { name, path } = await createApp();
  await owner.call("POST", path);
  const left = "select count(*)::int as keys from deploy_keys where app_id in (select id from apps where name = $1)";
  expect((await api.database.query(left, [name])).rows).toEqual([{ keys: 1 }]);
  await api.database.query("delete from apps where name = $1", [name]);
  const orphans = "select count(*)::int as keys from deploy_keys where app_id not in (select id from apps)";
  expect((await api.database.query(orphans)).rows).toEqual([{ keys: 0 }]);
});
