import { afterAll, beforeAll, expect, test } from "vitest";
import { labelFilter, LABEL_APP_NAME } from "@svc/shared/rules/labels.ts";
import { rowKeeper } from "../support/kills/row-keeper.ts";
import { startStoringLoad } from "../support/kills/storing-load.ts";
import { startTwoServers, type Move, type TestServer, type TwoServers } from "../support/platform/two-servers.ts";
import { eventually } from "../support/tools/eventually.ts";

/** Each carries an image of 200 MB from engine to engine. */
const TEST_MS_MAX = 900_000;

let servers: TwoServers;
let first: TestServer;
let second: TestServer;

beforeAll(async () => {
  servers = await startTwoServers();
  first = servers.first;
});
afterAll(() => servers?.stop());

async function move(app: string, to: TestServer): Promise<Move> {
  await servers.beginMove(app, to);
  return servers.endOfMove(app);
}

async function containersOf(server: TestServer, app: string): Promise<string[]> {
  const filters = labelFilter({ [LABEL_APP_NAME]: app });
  return (await server.engine.docker.listContainers({ all: true, filters })).map(({ Id }) => Id);
}

async function deployRowKeeper(app: string): Promise<void> {
  await servers.createApp(app, await rowKeeper("one"), { needs_database: true });
  expect((await servers.platform.deploy(app)).deploy).toMatchObject({ status: "success" });
}

test(
  "an app that moves under load loses no row that it has confirmed, and nothing of it stays behind",
  { timeout: TEST_MS_MAX },
  async () => {
    await deployRowKeeper("shop");
    const { platform } = servers;
    await platform.api("PUT", "/api/apps/shop/env", { GREETING: "hello" });
    second = await servers.addSecond();
    const load = startStoringLoad([first.target("shop")], 100);
    await eventually(load.sent, (sent) => sent > 300, { what: "rows are stored", deadlineMs: 30_000 });

    expect(await move("shop", second)).toMatchObject({ status: "success", from: "server-1", to: "server-2" });
    await load.stop();

    const { body } = await second.fetchApp("shop", "/rows");
    const stored = new Set(body.split(",").map(Number));
    const [confirmed] = load.confirmed.values();
    expect(confirmed!.size).toBeGreaterThan(100);
    expect([...confirmed!].filter((row) => !stored.has(row))).toEqual([]);
    await eventually(
      () => containersOf(first, "shop"),
      (ids) => ids.length === 0,
      { what: "nothing of it is left on the first server", deadlineMs: 60_000 },
    );
    // The image went with it, and the next deploy builds where the app is now.
    expect((await platform.deploy("shop")).deploy).toMatchObject({ status: "success" });
    expect((await second.fetchApp("shop")).body).toBe("one");
  },
);

test(
  "a stopped app is stopped where it moves to, and one that was removed has its database there",
  { timeout: TEST_MS_MAX },
  async () => {
    const { platform } = servers;
    await platform.api("POST", "/api/apps/shop/action", { action: "stop" });
    expect(await move("shop", first)).toMatchObject({ status: "success" });
    expect((await first.fetchApp("shop")).status).toBe(503);
    const rows = async (): Promise<string> => (await first.fetchApp("shop", "/rows")).body;
    await platform.api("POST", "/api/apps/shop/action", { action: "start" });
    const before = await rows();
    expect(before.split(",").length).toBeGreaterThan(100);

    expect((await platform.api("DELETE", "/api/apps/shop")).status).toBe(204);
    expect(await move("shop", second)).toMatchObject({ status: "success" });
    expect((await platform.deploy("shop")).deploy).toMatchObject({ status: "success" });
    expect((await second.fetchApp("shop", "/rows")).body).toBe(before);
  },
);

test(
  "an app that does not get there goes on where it was, with all that it had",
  { timeout: TEST_MS_MAX },
  async () => {
    await deployRowKeeper("blog");
    const home = (await containersOf(first, "blog")).length > 0 ? first : second;
    const other = home === first ? second : first;
    // The name of its container is taken there, by somebody else's.
    const containers = await home.engine.docker.listContainers({ filters: labelFilter({ [LABEL_APP_NAME]: "blog" }) });
    const name = containers
      .flatMap(({ Names }) => Names)
      .find((each) => each.includes("-database-"))!
      .slice(1);
    const blocker = await other.engine.docker.createContainer({ name, Image: "node:22-slim" });
    expect(await move("blog", other)).toMatchObject({ status: "failed", error: expect.stringContaining(name) });
    expect((await home.fetchApp("blog")).status).toBe(200);
    expect(await containersOf(other, "blog")).toEqual([]);
    await blocker.remove();
    expect(await move("blog", other)).toMatchObject({ status: "success" });
    expect((await other.fetchApp("blog")).status).toBe(200);
  },
);

test("a drained server that is evacuated has no app left, and can be removed", { timeout: TEST_MS_MAX }, async () => {
  const { platform } = servers;
  await platform.admin("server", "drain", "server-2", "--evacuate");
  const apps = ["shop", "blog"];
  for (const app of apps) expect((await first.fetchApp(app)).status).toBe(200);
  await platform.admin("server", "remove", "server-2");
  await eventually(
    () => second.agent.exitCode,
    (code) => code === 78,
    { what: "the agent of the removed server ends", deadlineMs: 60_000 },
  );
  expect(await second.engine.docker.listContainers()).toEqual([]);
});

test(
  "an agent that was away while its server was removed stops what it serves, and ends",
  { timeout: TEST_MS_MAX },
  async () => {
    const { platform } = servers;
    await first.agent.stop("SIGKILL");
    await expect(platform.admin("server", "remove", "server-1")).rejects.toThrow(/blog, shop/);
    await platform.admin("server", "remove", "server-1", "--force");
    await first.agent.start().catch(() => undefined);
    await eventually(
      () => first.agent.exitCode,
      (code) => code === 78,
      { what: "it ends", deadlineMs: 60_000 },
    );
    expect(await first.engine.docker.listContainers()).toEqual([]);
    await expect(first.fetchApp("shop")).rejects.toThrow("ECONNREFUSED");
    // Its databases are kept: they may be the only copy.
    const { Volumes: volumes } = await first.engine.docker.listVolumes();
    expect(volumes.filter(({ Name }) => Name.endsWith("-database"))).toHaveLength(2);
    await expect(first.agent.start()).rejects.toThrow(/was removed from the fleet/);
  },
);
