import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SvcOutcome } from "../../support/svc/svc.ts";
import { startSvcWorld, type SvcWorld } from "../../support/svc/svc-world.ts";

/** The place that a spec file asks for, and what a deploy says that waits for it. */
let world: SvcWorld;
const DRAINED = "Every server of the pool gpu with the label ssd is drained and takes no new apps.";

beforeAll(async () => {
  world = await startSvcWorld();
  const git = (...argv: string[]) => execFileSync("git", argv, { cwd: world.user.folder });
  git("init", "--quiet");
  git("-c", "user.name=Ada", "-c", "user.email=ada@example.test", "commit", "--quiet", "--allow-empty", "-m", "begin");
  git("remote", "add", "origin", "https://github.com/you/shop");
  await world.http.addServer("berlin", { state: "draining" });
  await world.http.database.query("update servers set pool = 'gpu', labels = '{ssd}'");
});
afterAll(() => world?.stop());

const spec = (pool: string) => ({ "svc.yaml": `# spec: svc/v2\nname: shop\npool: ${pool}\nlabel: ssd\n` });
const svc = (...argv: string[]): Promise<SvcOutcome> => world.user.svc(argv);

test("a pool that the team was not given ends `svc up` before anything is created", async () => {
  await world.user.write(spec("gpu"));
  const outcome = await svc("up", "--detach");
  expect([outcome.status, outcome.stderr]).toEqual([2, expect.stringContaining('Your team has no pool "gpu"')]);
  expect((await world.caller.call("GET", "/api/apps")).json["apps"]).toEqual([]);
});

test("`svc up` creates the app for the pool and the label of the file, and says what its deploy waits for", async () => {
  await world.http.database.query("update teams set pools = '{gpu}' where id = $1", [world.caller.userId]);
  const outcome = await svc("up", "--detach");
  expect([outcome.status, outcome.stdout]).toEqual([0, expect.stringContaining(`\nQueued. ${DRAINED}`)]);
  const { app } = (await world.caller.call("GET", "/api/apps/shop")).json;
  expect(app).toMatchObject({ pool: "gpu", label: "ssd", server: null });
});

test("`svc status` says what the deploy waits for", async () => {
  expect((await svc("status")).stdout).toContain(`The deploy v1 has waited for a moment. ${DRAINED}`);
  expect(JSON.parse((await svc("status", "--json")).stdout)).toMatchObject({ waiting: { waits_for: "all_drained" } });
});

test("a file that asks for another place than the app's is followed by a note, and the app stays", async () => {
  await world.http.database.query("delete from deploys");
  await world.user.write(spec("default"));
  const outcome = await svc("up", "--detach");
  expect([outcome.status, outcome.stdout]).toEqual([
    0,
    expect.stringContaining("Note: svc.yaml asks for the pool default, which counts for a new app only: shop stays"),
  ]);
  expect((await world.caller.call("GET", "/api/apps/shop")).json["app"]).toMatchObject({ pool: "gpu" });
});
