import { afterAll, beforeAll, expect, test } from "vitest";
import { deleteUnusedRepositories } from "@svc/control-plane/repositories/repositories.store.ts";
import { startTestApi, type Caller, type TestApi } from "../../support/api/http.ts";

let http: TestApi;
let ada: Caller;

beforeAll(async () => {
  http = await startTestApi();
  ada = await http.addCaller();
});
afterAll(() => http?.stop());

const ensure = (name: string, caller = ada) => caller.call("POST", "/api/repositories", { name });
const urlOf = (name: string, caller = ada) => `http://127.0.0.1/git/${caller.userId}/${name}.git`;
const namesOf = async (caller = ada) => {
  const { rows } = await http.database.query("select name from repositories where owner_id = $1 order by name", [
    caller.userId,
  ]);
  return rows.map((row) => row["name"]);
};
const sweep = () => deleteUnusedRepositories(http.parts.db, "http://127.0.0.1/git/", new Date(Date.now() - 86_400_000));
const age = (name: string) =>
  http.database.query("update repositories set asked_for_at = now() - interval '2 days' where name = $1", [name]);

test("a repository is made once, however often it is asked for, also at once", async () => {
  const replies = await Promise.all(Array.from({ length: 4 }, () => ensure("once")));
  expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 201]);
  for (const { json } of replies) expect(json).toEqual({ name: "once", repo_url: urlOf("once") });
  const { rows } = await http.database.query("select id, head_sha from repositories where name = 'once'");
  expect(rows).toHaveLength(1);
  expect(rows[0]?.["head_sha"]).toBeNull();
  expect(await http.hosting.folders.headOf(String(rows[0]?.["id"]))).toBeUndefined();
});

test("a key that is limited to apps has an app deploy from no other repository of its owner's", async () => {
  const gwen = await http.addCaller();
  for (const name of ["open", "closed"]) await ensure(name, gwen);
  const limited = await http.addCaller({ userId: gwen.userId, apps: ["open"] });
  const [own, other] = [urlOf("open", gwen), urlOf("closed", gwen)];
  const refused = { status: 403, json: { error: "insufficient_scope" } };
  expect(await limited.call("POST", "/api/apps", { name: "open", repo_url: other })).toMatchObject(refused);
  expect(await limited.call("POST", "/api/apps", { name: "open", repo_url: own })).toMatchObject({ status: 201 });
  expect(await limited.call("PATCH", "/api/apps/open", { repo_url: other })).toMatchObject(refused);
  expect(await gwen.call("PATCH", "/api/apps/open", { repo_url: other })).toMatchObject({ status: 200 });
});

test("two users have one of the same name each", async () => {
  const bob = await http.addCaller();
  expect((await ensure("ours")).json["repo_url"]).toBe(urlOf("ours"));
  expect((await ensure("ours", bob)).json["repo_url"]).toBe(urlOf("ours", bob));
});

test.each(["", "Upper", "a/b", "..", "-a", "a".repeat(64), "www"])("the name %j is refused", async (name) => {
  const { status, json } = await ensure(name);
  expect([status, json["error"]]).toEqual([400, "invalid_request"]);
});

test("a key that is limited to other apps is refused", async () => {
  const limited = await http.addCaller({ userId: ada.userId, apps: ["other"] });
  expect((await ensure("No name", limited)).json["error"]).toBe("insufficient_scope");
  expect((await ensure("mine", limited)).json["error"]).toBe("insufficient_scope");
  expect((await ensure("other", limited)).status).toBe(201);
});

test("names that turn out to be taken use up no app of the tier, and ten may wait for an app", async () => {
  const free = await http.addCaller({ tier: "free" });
  const names = Array.from({ length: 10 }, (_, i) => `taken-${i}`);
  for (const name of names) expect((await ensure(name, free)).status).toBe(201);
  const next = await ensure("one-more", free);
  expect([next.status, next.json["error"]]).toEqual([403, "app_limit"]);
  expect((await ensure("taken-0", free)).status).toBe(200);
  await free.call("POST", "/api/apps", { name: "taken-0", repo_url: urlOf("taken-0", free) });
  expect((await ensure("one-more", free)).status).toBe(201);
});

test("it goes with the app that deploys from it", async () => {
  const carl = await http.addCaller();
  await ensure("shop", carl);
  const created = await carl.call("POST", "/api/apps", { name: "shop", repo_url: urlOf("shop", carl) });
  expect(created.json["app"]).toMatchObject({ git_repo: urlOf("shop", carl) });
  expect((await carl.call("DELETE", "/api/apps/shop?purge=1")).status).toBe(204);
  expect(await namesOf(carl)).toEqual([]);
});

test("a repository that no app deploys from is removed after a day, and no other", async () => {
  const dora = await http.addCaller();
  for (const name of ["unused", "asked-again", "fresh", "first", "second"]) await ensure(name, dora);
  const repo_url = urlOf("first", dora);
  await dora.call("POST", "/api/apps", { name: "app-of-dora", repo_url });
  await dora.call("PATCH", "/api/apps/app-of-dora", { repo_url: urlOf("second", dora) });
  for (const name of ["unused", "asked-again", "first", "second"]) await age(name);
  await ensure("asked-again", dora);
  expect(await sweep()).toBe(1);
  expect(await namesOf(dora)).toEqual(["asked-again", "first", "fresh", "second"]);
});

test("a repository that waited for its app gives way to a template's", async () => {
  await ensure("from-template");
  const { status } = await ada.call("POST", "/api/apps", { name: "from-template", template: "static-site" });
  expect(status).toBe(201);
  const { rows } = await http.database.query(
    "select app_id is not null as owned from repositories where name = 'from-template'",
  );
  expect(rows).toEqual([{ owned: true }]);
});

test("a repository that another app deploys from too stays when its app is purged", async () => {
  const eva = await http.addCaller();
  await ensure("shared", eva);
  const repo_url = urlOf("shared", eva);
  for (const name of ["eva-one", "eva-two"]) await eva.call("POST", "/api/apps", { name, repo_url });
  expect((await eva.call("DELETE", "/api/apps/eva-one?purge=1")).status).toBe(204);
  expect(await namesOf(eva)).toEqual(["shared"]);
  await age("shared");
  expect(await sweep()).toBe(0);
});

test("a repository that an app deploys from is not replaced by a template's, and a replaced one is in the audit log", async () => {
  const finn = await http.addCaller();
  for (const name of ["claimed", "used", "waiting"]) await ensure(name, finn);
  await finn.call("POST", "/api/apps", { name: "finn-app", repo_url: urlOf("claimed", finn) });
  // An app has one repository that goes with it; this second one belongs to none.
  await finn.call("PATCH", "/api/apps/finn-app", { repo_url: urlOf("used", finn) });
  for (const name of ["claimed", "used"]) {
    const { status, json } = await finn.call("POST", "/api/apps", { name, template: "static-site" });
    expect([status, json["error"]]).toEqual([409, "name_taken"]);
    expect(json["detail"]).toContain(`Another of your apps has the repository ${name}`);
  }
  expect((await finn.call("POST", "/api/apps", { name: "waiting", template: "static-site" })).status).toBe(201);
  expect(await namesOf(finn)).toEqual(["claimed", "used", "waiting"]);
  const { rows } = await http.database.query(
    "select detail from audit_log where action = 'repository.delete' and actor like 'key:%' order by id desc limit 1",
  );
  expect(rows).toEqual([{ detail: { name: "waiting" } }]);
});
