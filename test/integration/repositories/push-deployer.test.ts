import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deployPushed } from "@svc/control-plane/deploys/pushes/deploy-pushed.ts";
import { notePush } from "@svc/control-plane/apps/pushes/note-push.ts";
import type { Permissions } from "@svc/control-plane/platform/scope.ts";
import { readRepository } from "@svc/control-plane/repositories/repositories.store.ts";
import { startPushDeployer } from "@svc/control-plane/deploys/pushes/push-deployer.ts";
import { systemClock } from "@svc/shared/platform/clock.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { makeGitClient, type GitClient } from "../../support/git/git-client.ts";
import { startTestApi, type Caller, type TestApi } from "../../support/api/http.ts";
import { eventually } from "../../support/tools/eventually.ts";

let http: TestApi;
let client: GitClient;
let ada: Caller;

beforeAll(async () => {
  http = await startTestApi();
  client = await makeGitClient();
  ada = await http.addCaller();
  await http.addServer("one");
});
afterAll(async () => {
  await client?.remove();
  await http?.stop();
});

interface Pushable {
  appId: string;
  repositoryId: string;
  /** Commits and pushes straight into the folder: what happens between a push and its note. */
  push(): Promise<string>;
  note(permissions?: Partial<Permissions>): Promise<void>;
}

async function makeApp(name: string): Promise<Pushable> {
  const created = await ada.call("POST", "/api/apps", { name, template: "static-site" });
  expect(created.status).toBe(201);
  expect((await ada.call("PATCH", `/api/apps/${name}`, { deploy_on_push: true })).status).toBe(200);
  const repository = (await readRepository(http.database.db, ada.userId, name))!;
  await client.clone(join(http.hosting.folders.root, `${repository.id}.git`), name, undefined);
  let count = 0;
  return {
    appId: String((created.json["app"] as { id: string }).id),
    repositoryId: repository.id,
    async push() {
      const sha = await client.commit(name, { "count.txt": String((count += 1)) });
      expect(await client.git(name, undefined, "push", "--quiet")).toMatchObject({ ok: true });
      return sha;
    },
    async note(permissions = {}) {
      const { userId, keyId } = ada;
      const teams = [{ teamId: userId, role: "owner" as const }];
      const actor = { userId, keyId, teamId: userId, teams, scopes: null, apps: null, ...permissions };
      await notePush({ ...http.parts, actor, requestId: newId() }, repository);
    },
  };
}

async function deploysOf(appId: string): Promise<{ id: string; status: string; ref: string | null }[]> {
  const { rows } = await http.database.query("select id, status, ref from deploys where app_id = $1 order by seq", [
    appId,
  ]);
  return rows as { id: string; status: string; ref: string | null }[];
}

/** As the pipeline does: the deploy has ended with what was newest when it cloned. */
async function endDeploys(appId: string, sha: string): Promise<void> {
  const sql = "update deploys set status = 'running', started_at = now() where app_id = $1 and status = 'pending'";
  await http.database.query(sql, [appId]);
  await http.database.query(
    "update deploys set status = 'success', commit_sha = $2, finished_at = now() where app_id = $1 and status = 'running'",
    [appId, sha],
  );
}

test("a push is deployed once, however often it is looked at", async () => {
  const app = await makeApp("once");
  await app.push();
  await Promise.all([app.note(), app.note(), app.note()]);
  await Promise.all([1, 2, 3].map(() => deployPushed(http.parts, app.appId)));
  expect(await deploysOf(app.appId)).toHaveLength(1);
  const { rows } = await http.database.query(
    "select actor from audit_log where action = 'deploy.start' and detail ->> 'app' = 'once'",
  );
  expect(rows).toEqual([{ actor: `key:${ada.keyId}` }]);
  await endDeploys(app.appId, "0".repeat(40));
});

test("while a deploy runs a push waits; of several the newest is deployed", async () => {
  const app = await makeApp("waits");
  const first = await app.push();
  await app.note();
  await deployPushed(http.parts, app.appId);
  await http.database.query("update deploys set status = 'running', started_at = now() where app_id = $1", [app.appId]);
  await app.push();
  await app.note();
  await app.push();
  await app.note();
  expect(await deployPushed(http.parts, app.appId)).toBe(false);
  expect(await deploysOf(app.appId)).toHaveLength(1);
  await endDeploys(app.appId, first);
  expect(await deployPushed(http.parts, app.appId)).toBe(true);
  expect(await deploysOf(app.appId)).toHaveLength(2);
  await endDeploys(app.appId, "0".repeat(40));
});

test("a push with a key that may not deploy the app is stored, and not deployed", async () => {
  const app = await makeApp("stored");
  for (const permissions of [{ scopes: ["apps:write", "apps:read"] as const }, { apps: ["other"] }]) {
    await app.push();
    await app.note(permissions);
    expect(await deployPushed(http.parts, app.appId)).toBe(true);
    expect(await deploysOf(app.appId)).toEqual([]);
  }
  const sha = await app.push();
  await app.note({ scopes: ["apps:write", "deploys:write"], apps: ["stored"] });
  await app.push();
  await app.note({ apps: ["other"] });
  await deployPushed(http.parts, app.appId);
  expect(await deploysOf(app.appId)).toMatchObject([{ ref: sha }]);
  await endDeploys(app.appId, "0".repeat(40));
});

test("a commit that the deploy before has built is not deployed again", async () => {
  const app = await makeApp("built");
  const sha = await app.push();
  expect((await ada.call("POST", "/api/apps/built/deploy")).status).toBe(202);
  await app.note();
  await endDeploys(app.appId, sha);
  expect(await deployPushed(http.parts, app.appId)).toBe(true);
  expect(await deploysOf(app.appId)).toHaveLength(1);
});

test("a push of another branch, and of an app that does not want it, deploys nothing", async () => {
  const app = await makeApp("other-branch");
  await client.commit("other-branch", { "branch.txt": "branch" });
  await client.git("other-branch", undefined, "push", "--quiet", "origin", "HEAD:refs/heads/feature");
  await app.note();
  await ada.call("PATCH", "/api/apps/other-branch", { deploy_on_push: false });
  await app.push();
  await app.note();
  await deployPushed(http.parts, app.appId);
  expect(await deploysOf(app.appId)).toEqual([]);
});

test("deploy_on_push is refused for a repository elsewhere", async () => {
  await ada.call("POST", "/api/apps", { name: "elsewhere", repo_url: "https://git.example.test/a/b.git" });
  const { status, json } = await ada.call("PATCH", "/api/apps/elsewhere", { deploy_on_push: true });
  expect([status, json["error"]]).toEqual([400, "invalid_request"]);
});

test("beside one that can't be read, a push that a crash hid is deployed, and what belongs to none goes", async () => {
  const unreadable = (await makeApp("a-broken")).repositoryId;
  await rm(join(http.hosting.folders.root, `${unreadable}.git`, "HEAD"));
  const app = await makeApp("hidden");
  await app.push();
  const stray = newId();
  await mkdir(join(http.hosting.folders.root, `${stray}.git`));
  const inTwoHours = { ...systemClock, now: () => new Date(Date.now() + 2 * 3_600_000) };
  const deployer = startPushDeployer({ ...http.parts, clock: inTwoHours });
  try {
    await eventually(
      () => deploysOf(app.appId),
      (deploys) => deploys.length === 1,
      { what: "the deploy" },
    );
    await eventually(
      () => readdir(http.hosting.folders.root),
      (names) => !names.includes(`${stray}.git`),
      { what: "the end of the folder" },
    );
    const { rows } = await http.database.query("select id from repositories");
    expect((await readdir(http.hosting.folders.root)).sort()).toEqual(rows.map(({ id }) => `${String(id)}.git`).sort());
  } finally {
    await deployer.stop();
  }
});
