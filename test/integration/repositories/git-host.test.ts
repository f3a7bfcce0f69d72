import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { findHostedRepository } from "@svc/control-plane/repositories/hosting/hosting.ts";
import { eventually } from "../../support/tools/eventually.ts";
import { packetLine, useHostedGitWorld } from "../../support/git/hosted-git-world.ts";

const world = useHostedGitWorld();

async function cloned(name: string): Promise<string> {
  const id = await world.makeRepository(name);
  expect(await world.client.clone(world.urlOf(name), name, world.ada.key)).toMatchObject({ ok: true });
  return id;
}

test("a clone has the template's files, and a push arrives", async () => {
  const id = await cloned("site");
  const files = await readdir(`${world.client.directory}/site`);
  expect(files).toContain("index.html");
  expect(files).not.toContain("svc-template.yaml");
  const sha = await world.client.commit("site", { "index.html": "<!doctype html><title>changed</title>" });
  expect(await world.client.git("site", world.ada.key, "push", "--quiet")).toMatchObject({ ok: true });
  expect(await world.http.hosting.folders.headOf(id)).toBe(sha);
  const { rows } = await world.http.database.query("select head_sha from repositories where id = $1", [id]);
  expect(rows).toEqual([{ head_sha: sha }]);
  expect(await world.client.clone(world.urlOf("site"), "site-again", world.ada.key)).toMatchObject({ ok: true });
  expect(await readFile(`${world.client.directory}/site-again/index.html`, "utf8")).toContain("changed");
});

test("an empty repository takes a first push as it is, and the branch that is pushed first is the default", async () => {
  const { json } = await world.ada.call("POST", "/api/repositories", { name: "blank" });
  expect(json["repo_url"]).toMatch(/\/blank\.git$/);
  expect(await world.client.clone(world.urlOf("blank"), "blank", world.ada.key)).toMatchObject({ ok: true });
  expect((await world.client.git("blank", undefined, "branch", "--show-current")).text).toBe("main\n");
  const sha = await world.client.commit("blank", { "index.html": "one" });
  expect(
    await world.client.git("blank", world.ada.key, "push", "--quiet", "origin", "HEAD:refs/tags/v1"),
  ).toMatchObject({
    ok: true,
  });
  const headSha = async () =>
    (await world.http.database.query("select head_sha from repositories where name = 'blank'")).rows[0]?.["head_sha"];
  expect(await headSha()).toBeNull();
  expect(await world.client.git("blank", world.ada.key, "push", "--quiet", "origin", "HEAD:main/trunk")).toMatchObject({
    ok: true,
  });
  expect(await headSha()).toBe(sha);
  await world.client.commit("blank", { "index.html": "two" });
  expect(await world.client.git("blank", world.ada.key, "push", "--quiet", "origin", "HEAD:other")).toMatchObject({
    ok: true,
  });
  expect(await headSha()).toBe(sha);
  await world.client.clone(world.urlOf("blank"), "blank-again", world.ada.key);
  expect((await world.client.git("blank-again", undefined, "branch", "--show-current")).text).toBe("main/trunk\n");
});

test("no password, a wrong one and a revoked key get 401 with Basic, and nothing else", async () => {
  await world.makeRepository("closed");
  const wrong = `${world.ada.key.slice(0, -1)}${world.ada.key.endsWith("A") ? "B" : "A"}`;
  const revoked = await world.http.addCaller({ userId: world.ada.userId });
  await world.http.database.query("update api_keys set revoked_at = now() where id = $1", [revoked.keyId]);
  for (const password of [undefined, "", "svc_wrong", wrong, revoked.key, "svcgit_1_" + "A".repeat(43)]) {
    expect(await world.client.clone(world.urlOf("closed"), "nowhere", password)).toMatchObject({ ok: false });
  }
  for (const password of [undefined, wrong]) {
    const response = await fetch(`${world.urlOf("closed")}/info/refs?service=git-upload-pack`, {
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
  await world.makeRepository("private");
  const ask = async (url: string, key: string): Promise<[number, string]> => {
    const headers = { Authorization: `Basic ${Buffer.from(`x:${key}`).toString("base64")}` };
    const response = await fetch(`${url}/info/refs?service=git-upload-pack`, { headers });
    return [response.status, await response.text()];
  };
  const theirs = await ask(world.urlOf("private"), world.eve.key);
  expect(theirs[0]).toBe(404);
  expect(theirs).toEqual(await ask(world.urlOf("no-such"), world.ada.key));
});

test("a key clones with apps:read and pushes with apps:write, in the apps that it is limited to", async () => {
  await cloned("scoped");
  const reader = await world.http.addCaller({ userId: world.ada.userId, scopes: ["apps:read"] });
  const elsewhere = await world.http.addCaller({ userId: world.ada.userId, apps: ["another"] });
  const deployer = await world.http.addCaller({ userId: world.ada.userId, scopes: ["deploys:write"] });
  await world.client.commit("scoped", { "new.html": "new" });
  expect(await world.client.clone(world.urlOf("scoped"), "as-reader", reader.key)).toMatchObject({ ok: true });
  expect((await world.client.git("scoped", reader.key, "push")).text).toContain("apps:write");
  expect((await world.client.clone(world.urlOf("scoped"), "x", elsewhere.key)).text).toContain("limited to other apps");
  expect((await world.client.clone(world.urlOf("scoped"), "x", deployer.key)).text).toContain("apps:read");
  const writer = await world.http.addCaller({ userId: world.ada.userId, scopes: ["apps:write"], apps: ["scoped"] });
  expect(await world.client.git("scoped", writer.key, "push")).toMatchObject({ ok: true });
});

test("an unverified owner can't push", async () => {
  await cloned("unverified");
  await world.client.commit("unverified", { "new.html": "new" });
  await world.http.database.query("update users set email_verified_at = null where id = $1", [world.ada.userId]);
  const refused = await world.client.git("unverified", world.ada.key, "push");
  await world.http.database.query("update users set email_verified_at = now() where id = $1", [world.ada.userId]);
  expect(refused.text).toContain("Verify your e-mail address");
});

test("the pipeline gets a token for the app's owner's own repositories alone", async () => {
  const id = await world.makeRepository("own");
  const url = `${world.http.hosting.baseUrl}/git/${world.ada.userId}/own.git`;
  const find = (ownerId: string, text: string) =>
    findHostedRepository(world.http.hosting, world.http.database.db, ownerId, text);
  expect(await find(world.ada.userId, url)).toMatchObject({ id });
  expect(await find(world.eve.userId, url)).toBeUndefined();
  expect(await find(world.ada.userId, url.replace("127.0.0.1", "127.0.0.2"))).toBeUndefined();
  expect((await world.eve.call("POST", "/api/apps", { name: "thief", repo_url: url })).status).toBe(201);
});

test("the platform's token reads its one repository and pushes nowhere", async () => {
  const id = await cloned("token");
  await world.makeRepository("token-other");
  const token = world.http.hosting.tokens.make(id);
  expect(await world.client.clone(world.urlOf("token"), "with-token", token)).toMatchObject({ ok: true });
  expect(await world.client.clone(world.urlOf("token-other"), "x", token)).toMatchObject({ ok: false });
  await world.client.commit("token", { "new.html": "new" });
  expect(await world.client.git("token", token, "push")).toMatchObject({ ok: false });
});

test("one of concurrent pushes to one branch wins, and the repository stays whole", async () => {
  const id = await cloned("busy");
  for (const name of ["busy-1", "busy-2", "busy-3"]) await world.client.clone(world.urlOf("busy"), name, world.ada.key);
  const shas = await Promise.all(
    ["busy-1", "busy-2", "busy-3"].map((name) => world.client.commit(name, { [name]: name })),
  );
  const pushes = await Promise.all(
    ["busy-1", "busy-2", "busy-3"].map((name) => world.client.git(name, world.ada.key, "push")),
  );
  expect(pushes.filter(({ ok }) => ok)).toHaveLength(1);
  expect(await world.http.hosting.folders.headOf(id)).toBe(shas[pushes.findIndex(({ ok }) => ok)]);
  const branches = ["busy-1", "busy-2", "busy-3"].map((name) =>
    world.client.git(name, world.ada.key, "push", "origin", `HEAD:refs/heads/${name}`),
  );
  expect((await Promise.all(branches)).every(({ ok }) => ok)).toBe(true);
  expect(await world.client.clone(world.urlOf("busy"), "busy-after", world.ada.key)).toMatchObject({ ok: true });
});

test("a push beyond the limit is refused and leaves the repository as it was", async () => {
  const id = await cloned("large");
  const before = await world.http.hosting.folders.headOf(id);
  await world.client.git("large", undefined, "config", "core.compression", "0");
  await world.client.commit("large", { "large.bin": randomBytes(101 * 1024 * 1024) });
  const refused = await world.client.git("large", world.ada.key, "push");
  expect(refused.ok).toBe(false);
  expect(await world.http.hosting.folders.headOf(id)).toBe(before);
  expect(await world.http.hosting.folders.sizeOf(id)).toBeLessThan(1024 * 1024);
  await world.client.git("large", undefined, "reset", "--hard", "HEAD~1");
  await world.client.commit("large", { "small.txt": "small" });
  expect(await world.client.git("large", world.ada.key, "push")).toMatchObject({ ok: true });
});

test("a request that is compressed is understood, and one for the dumb protocol refused", async () => {
  const id = await world.makeRepository("compressed");
  const headers = { Authorization: `Basic ${Buffer.from(`x:${world.ada.key}`).toString("base64")}` };
  const want = `${packetLine(`want ${await world.http.hosting.folders.headOf(id)}\n`)}0000${packetLine("done\n")}`;
  const response = await fetch(`${world.urlOf("compressed")}/git-upload-pack`, {
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
  expect((await fetch(`${world.urlOf("compressed")}/info/refs`, { headers })).status).toBe(400);
  expect((await fetch(`${world.urlOf("compressed")}/HEAD`, { headers })).status).toBe(404);
  expect((await fetch(`${world.urlOf("compressed")}/config`, { headers })).status).toBe(404);
  expect((await fetch(`${world.urlOf("compressed")}/git-upload-pack`, { headers })).status).toBe(405);
});

test("a git that is killed breaks one push, and the next one works", async () => {
  const id = await cloned("killed");
  await world.client.git("killed", undefined, "config", "core.compression", "0");
  await world.client.commit("killed", { "data.bin": randomBytes(20 * 1024 * 1024) });
  const pushing = world.client.git("killed", world.ada.key, "push");
  const pid = await runningBackendOf(id);
  process.kill(pid, "SIGKILL");
  await pushing;
  expect(await world.client.git("killed", world.ada.key, "push")).toMatchObject({ ok: true });
  expect(await world.client.clone(world.urlOf("killed"), "killed-after", world.ada.key)).toMatchObject({ ok: true });
});

test("a client that goes away leaves no process", async () => {
  const id = await cloned("left");
  const leaving = new AbortController();
  const headers = { Authorization: `Basic ${Buffer.from(`x:${world.ada.key}`).toString("base64")}` };
  const body = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from("0094")) });
  const request = fetch(`${world.urlOf("left")}/git-receive-pack`, {
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
  const pushing = httpRequest(`${world.urlOf("cut")}/git-receive-pack`, {
    method: "POST",
    auth: `x:${world.ada.key}`,
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
