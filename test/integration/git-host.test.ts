import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findHostedRepository } from "@svc/control-plane/hosting/hosting.ts";
import { listen, type ApiListener } from "@svc/control-plane/http/listener.ts";
import { silentLogger } from "@svc/shared/logger.ts";
import { makeGitClient, type GitClient } from "../support/git-client.ts";
import { startTestApi, type Caller, type TestApi } from "../support/http.ts";
import { eventually } from "../support/eventually.ts";

let http: TestApi;
let listener: ApiListener;
let client: GitClient;
let ada: Caller;
let eve: Caller;

beforeAll(async () => {
  http = await startTestApi();
  listener = await listen(http.api, { address: { host: "127.0.0.1", port: 0 }, tls: undefined, log: silentLogger });
  client = await makeGitClient();
  ada = await http.addCaller();
  eve = await http.addCaller();
});
afterAll(async () => {
  await listener?.close();
  await client?.remove();
  await http?.stop();
});

const urlOf = (name: string, owner = ada): string =>
  `http://127.0.0.1:${listener.address.port}/git/${owner.userId}/${name}.git`;

async function makeRepository(name: string): Promise<string> {
  const { status } = await ada.call("POST", "/api/apps", { name, template: "static-site" });
  expect(status).toBe(201);
  const { rows } = await http.database.query("select id from repositories where name = $1", [name]);
  return String(rows[0]?.["id"]);
}

async function cloned(name: string): Promise<string> {
  const id = await makeRepository(name);
  expect(await client.clone(urlOf(name), name, ada.key)).toMatchObject({ ok: true });
  return id;
}

test("a clone has the template's files, and a push arrives", async () => {
  const id = await cloned("site");
  const files = await readdir(`${client.directory}/site`);
  expect(files).toContain("index.html");
  expect(files).not.toContain("svc-template.yaml");
  const sha = await client.commit("site", { "index.html": "<!doctype html><title>changed</title>" });
  expect(await client.git("site", ada.key, "push", "--quiet")).toMatchObject({ ok: true });
  expect(await http.hosting.folders.headOf(id)).toBe(sha);
  const { rows } = await http.database.query("select head_sha from repositories where id = $1", [id]);
  expect(rows).toEqual([{ head_sha: sha }]);
  expect(await client.clone(urlOf("site"), "site-again", ada.key)).toMatchObject({ ok: true });
  expect(await readFile(`${client.directory}/site-again/index.html`, "utf8")).toContain("changed");
});

test("an empty repository takes a first push as it is, and the branch that is pushed first is the default", async () => {
  const { json } = await ada.call("POST", "/api/repositories", { name: "blank" });
  expect(json["repo_url"]).toMatch(/\/blank\.git$/);
  expect(await client.clone(urlOf("blank"), "blank", ada.key)).toMatchObject({ ok: true });
  expect((await client.git("blank", undefined, "branch", "--show-current")).text).toBe("main\n");
  const sha = await client.commit("blank", { "index.html": "one" });
  expect(await client.git("blank", ada.key, "push", "--quiet", "origin", "HEAD:refs/tags/v1")).toMatchObject({
    ok: true,
  });
  const headSha = async () =>
    (await http.database.query("select head_sha from repositories where name = 'blank'")).rows[0]?.["head_sha"];
  expect(await headSha()).toBeNull();
  expect(await client.git("blank", ada.key, "push", "--quiet", "origin", "HEAD:main/trunk")).toMatchObject({
    ok: true,
  });
  expect(await headSha()).toBe(sha);
  await client.commit("blank", { "index.html": "two" });
  expect(await client.git("blank", ada.key, "push", "--quiet", "origin", "HEAD:other")).toMatchObject({ ok: true });
  expect(await headSha()).toBe(sha);
  await client.clone(urlOf("blank"), "blank-again", ada.key);
  expect((await client.git("blank-again", undefined, "branch", "--show-current")).text).toBe("main/trunk\n");
});

test("no password, a wrong one and a revoked key get 401 with Basic, and nothing else", async () => {
  await makeRepository("closed");
  const wrong = `${ada.key.slice(0, -1)}${ada.key.endsWith("A") ? "B" : "A"}`;
  const revoked = await http.addCaller({ userId: ada.userId });
  await http.database.query("update api_keys set revoked_at = now() where id = $1", [revoked.keyId]);
  for (const password of [undefined, "", "svc_wrong", wrong, revoked.key, "svcgit_1_" + "A".repeat(43)]) {
    expect(await client.clone(urlOf("closed"), "nowhere", password)).toMatchObject({ ok: false });
  }
  for (const password of [undefined, wrong]) {
    const response = await fetch(`${urlOf("closed")}/info/refs?service=git-upload-pack`, {
      headers: password ? { Authorization: `Basic ${Buffer.from(`x:${password}`).toString("base64")}` } : {},
    });
    expect([response.status, response.headers.get("WWW-Authenticate"), await response.text()]).toEqual([
      401,
      'Basic realm="svc", charset="UTF-8"',
      "Give an API key as the password; any user name will do.\n",
    ]);
  }
});

test("another owner's repository looks like one that does not exist", async () => {
  await makeRepository("private");
  const ask = async (url: string, key: string): Promise<[number, string]> => {
    const headers = { Authorization: `Basic ${Buffer.from(`x:${key}`).toString("base64")}` };
    const response = await fetch(`${url}/info/refs?service=git-upload-pack`, { headers });
    return [response.status, await response.text()];
  };
  const theirs = await ask(urlOf("private"), eve.key);
  expect(theirs[0]).toBe(404);
  expect(theirs).toEqual(await ask(urlOf("no-such"), ada.key));
});

test("a key clones with apps:read and pushes with apps:write, in the apps that it is limited to", async () => {
  await cloned("scoped");
  const reader = await http.addCaller({ userId: ada.userId, scopes: ["apps:read"] });
  const elsewhere = await http.addCaller({ userId: ada.userId, apps: ["another"] });
  const deployer = await http.addCaller({ userId: ada.userId, scopes: ["deploys:write"] });
  await client.commit("scoped", { "new.html": "new" });
  expect(await client.clone(urlOf("scoped"), "as-reader", reader.key)).toMatchObject({ ok: true });
  expect((await client.git("scoped", reader.key, "push")).text).toContain("apps:write");
  expect((await client.clone(urlOf("scoped"), "x", elsewhere.key)).text).toContain("limited to other apps");
  expect((await client.clone(urlOf("scoped"), "x", deployer.key)).text).toContain("apps:read");
  const writer = await http.addCaller({ userId: ada.userId, scopes: ["apps:write"], apps: ["scoped"] });
  expect(await client.git("scoped", writer.key, "push")).toMatchObject({ ok: true });
});

test("an unverified owner can't push", async () => {
  await cloned("unverified");
  await client.commit("unverified", { "new.html": "new" });
  await http.database.query("update users set email_verified_at = null where id = $1", [ada.userId]);
  const refused = await client.git("unverified", ada.key, "push");
  await http.database.query("update users set email_verified_at = now() where id = $1", [ada.userId]);
  expect(refused.text).toContain("Verify your e-mail address");
});

test("the pipeline gets a token for the app's owner's own repositories alone", async () => {
  const id = await makeRepository("own");
  const url = `${http.hosting.baseUrl}/git/${ada.userId}/own.git`;
  const find = (ownerId: string, text: string) => findHostedRepository(http.hosting, http.database.db, ownerId, text);
  expect(await find(ada.userId, url)).toMatchObject({ id });
  expect(await find(eve.userId, url)).toBeUndefined();
  expect(await find(ada.userId, url.replace("127.0.0.1", "127.0.0.2"))).toBeUndefined();
  expect((await eve.call("POST", "/api/apps", { name: "thief", repo_url: url })).status).toBe(201);
});

test("the platform's token reads its one repository and pushes nowhere", async () => {
  const id = await cloned("token");
  await makeRepository("token-other");
  const token = http.hosting.tokens.make(id);
  expect(await client.clone(urlOf("token"), "with-token", token)).toMatchObject({ ok: true });
  expect(await client.clone(urlOf("token-other"), "x", token)).toMatchObject({ ok: false });
  await client.commit("token", { "new.html": "new" });
  expect(await client.git("token", token, "push")).toMatchObject({ ok: false });
});

test("of concurrent pushes to one branch one wins, and the repository stays whole", async () => {
  const id = await cloned("busy");
  for (const name of ["busy-1", "busy-2", "busy-3"]) await client.clone(urlOf("busy"), name, ada.key);
  const shas = await Promise.all(["busy-1", "busy-2", "busy-3"].map((name) => client.commit(name, { [name]: name })));
  const pushes = await Promise.all(["busy-1", "busy-2", "busy-3"].map((name) => client.git(name, ada.key, "push")));
  expect(pushes.filter(({ ok }) => ok)).toHaveLength(1);
  expect(await http.hosting.folders.headOf(id)).toBe(shas[pushes.findIndex(({ ok }) => ok)]);
  const branches = ["busy-1", "busy-2", "busy-3"].map((name) =>
    client.git(name, ada.key, "push", "origin", `HEAD:refs/heads/${name}`),
  );
  expect((await Promise.all(branches)).every(({ ok }) => ok)).toBe(true);
  expect(await client.clone(urlOf("busy"), "busy-after", ada.key)).toMatchObject({ ok: true });
});

test("a push beyond the limit is refused and leaves the repository as it was", async () => {
  const id = await cloned("large");
  const before = await http.hosting.folders.headOf(id);
  await client.git("large", undefined, "config", "core.compression", "0");
  await client.commit("large", { "large.bin": randomBytes(101 * 1024 * 1024) });
  const refused = await client.git("large", ada.key, "push");
  expect(refused.ok).toBe(false);
  expect(await http.hosting.folders.headOf(id)).toBe(before);
  expect(await http.hosting.folders.sizeOf(id)).toBeLessThan(1024 * 1024);
  await client.git("large", undefined, "reset", "--hard", "HEAD~1");
  await client.commit("large", { "small.txt": "small" });
  expect(await client.git("large", ada.key, "push")).toMatchObject({ ok: true });
}, 60_000);

test("a request that is compressed is understood, and one for the dumb protocol refused", async () => {
  const id = await makeRepository("compressed");
  const headers = { Authorization: `Basic ${Buffer.from(`x:${ada.key}`).toString("base64")}` };
  const line = (text: string): string => (text.length + 4).toString(16).padStart(4, "0") + text;
  const want = `${line(`want ${await http.hosting.folders.headOf(id)}\n`)}0000${line("done\n")}`;
  const response = await fetch(`${urlOf("compressed")}/git-upload-pack`, {
    method: "POST",
    headers: {
      ...headers,
      "Content-Type": "application/x-git-upload-pack-request",
      "Content-Encoding": "gzip",
    },
    body: gzipSync(want),
  });
  expect(response.status).toBe(200);
  expect(Buffer.from(await response.arrayBuffer()).includes("PACK")).toBe(true);
  expect((await fetch(`${urlOf("compressed")}/info/refs`, { headers })).status).toBe(400);
  expect((await fetch(`${urlOf("compressed")}/HEAD`, { headers })).status).toBe(404);
  expect((await fetch(`${urlOf("compressed")}/config`, { headers })).status).toBe(404);
  expect((await fetch(`${urlOf("compressed")}/git-upload-pack`, { headers })).status).toBe(405);
});

test("a git that is killed breaks one push, and the next one works", async () => {
  const id = await cloned("killed");
  await client.git("killed", undefined, "config", "core.compression", "0");
  await client.commit("killed", { "data.bin": randomBytes(20 * 1024 * 1024) });
  const pushing = client.git("killed", ada.key, "push");
  const pid = await runningBackendOf(id);
  process.kill(pid, "SIGKILL");
  await pushing;
  expect(await client.git("killed", ada.key, "push")).toMatchObject({ ok: true });
  expect(await client.clone(urlOf("killed"), "killed-after", ada.key)).toMatchObject({ ok: true });
});

test("a client that goes away leaves no process", async () => {
  const id = await cloned("left");
  const leaving = new AbortController();
  const headers = { Authorization: `Basic ${Buffer.from(`x:${ada.key}`).toString("base64")}` };
  const body = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from("0094")) });
  const request = fetch(`${urlOf("left")}/git-receive-pack`, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/x-git-receive-pack-request" },
    body,
    duplex: "half",
    signal: leaving.signal,
  }).catch(() => undefined);
  await runningBackendOf(id);
  leaving.abort();
  await request;
  const left = await eventually(
    () => backendOf(id),
    (pid) => pid === undefined,
    { what: "the end of its git process" },
  );
  expect(left).toBeUndefined();
});

test("git ends by itself when a client sends less than it said", async () => {
  const id = await cloned("cut");
  const pushing = httpRequest(`${urlOf("cut")}/git-receive-pack`, {
    method: "POST",
    auth: `x:${ada.key}`,
    headers: { "Content-Type": "application/x-git-receive-pack-request", "Content-Length": 1000 },
  }).on("error", () => undefined);
  pushing.write("0094");
  await runningBackendOf(id);
  pushing.destroy();
  const left = await eventually(
    () => backendOf(id),
    (pid) => pid === undefined,
    // Before it would be killed.
    { what: "the end of its git process", deadlineMs: 2_000 },
  );
  expect(left).toBeUndefined();
});

async function runningBackendOf(id: string): Promise<number> {
  const pid = await eventually(
    () => backendOf(id),
    (found) => found !== undefined,
    { what: "a git process of the push", intervalMs: 25 },
  );
  return pid!;
}

/** A process of git that works on the repository for a push. */
async function backendOf(id: string): Promise<number | undefined> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  for (const pid of pids) {
    const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
    if (environment.includes(`PATH_INFO=/${id}.git/git-receive-pack`)) return Number(pid);
  }
  return undefined;
}
