import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { placeWaiting } from "@svc/control-plane/deploys/placement/place-waiting.ts";
import { startTestApi, type Caller, type TestApi } from "../../support/api/http.ts";
import { addApp, addDeploy } from "../../support/api/pipeline.ts";
import { hearOf } from "../../support/people/operator.ts";

/** The choice of a server for an app's first deploy, by two processes on one database. */
let http: TestApi;
let second: TestApi;
let ada: Caller;

const GIB = 1024 ** 3;
const FIRST_DEPLOYS = 200;
const HOSTS = 100;
const HOSTS_USED_MIN = 95;

beforeAll(async () => {
  http = await startTestApi();
  second = await startTestApi({ database: http.database });
  ada = await http.addCaller({ tier: "team" });
});
afterAll(async () => {
  await second?.stop();
  await http?.stop();
});
beforeEach(async () => {
  await http.database.query("delete from deploys");
  await http.database.query("delete from apps");
  await http.database.query("update servers set state = 'removed'");
});

/** A status with these figures. */
function figures({ gib = 8, promisedGib = 0, diskUsed = 0.2, load = 0.1 }): object {
  const bytes = (count: number) => String(Math.round(count * GIB));
  return {
    cpu: { cores: 4, load1m: load * 4 },
    memory: { totalBytes: bytes(gib), promisedBytes: bytes(promisedGib), promisableBytes: bytes(gib - 0.5) },
    disks: [{ purpose: "data", totalBytes: bytes(100), availableBytes: bytes(100 * (1 - diskUsed)) }],
  };
}

async function addHost(name: string, status: object): Promise<string> {
  const id = await http.addServer(name);
  await hearOf(http, id, status);
  return id;
}

async function serverOf(app: string): Promise<string | null> {
  const { json } = await ada.call("GET", `/api/apps/${app}`);
  return (json["app"] as { server: string | null }).server;
}

async function create(name: string, more: object = {}): Promise<void> {
  const reply = await ada.call("POST", "/api/apps", { name, repo_url: `https://github.com/you/${name}`, ...more });
  expect([reply.status, reply.text]).toEqual([201, expect.anything()]);
}

const start = (name: string) => ada.call("POST", `/api/apps/${name}/deploy`);
const place = () => placeWaiting({ links: http.links, policy: http.parts.platform.pipeline }, http.database.db);

test(
  `${FIRST_DEPLOYS} first deploys at once over ${HOSTS} hosts use at least ${HOSTS_USED_MIN} of them`,
  { timeout: 120_000 },
  async () => {
    for (let host = 0; host < HOSTS; host++) {
      const [gib, promisedGib] = [[4, 8, 16, 32][host % 4]!, [0, 1, 2][host % 3]!];
      await addHost(`host-${host}`, figures({ gib, promisedGib, diskUsed: (host % 7) / 10, load: (host % 5) / 10 }));
    }
    for (const id of http.links.linked) second.links.linked.add(id);
    const names = Array.from({ length: FIRST_DEPLOYS }, (_, app) => `app-${app}`);
    for (const name of names) await create(name);

    const before = performance.now();
    const replies = await Promise.all(
      names.map((name, i) => {
        const headers = { Authorization: `Bearer ${ada.key}`, "Content-Type": "application/json" };
        const process = i % 2 === 0 ? http : second;
        return process.api.request(`/api/apps/${name}/deploy`, { method: "POST", headers, body: "{}" });
      }),
    );
    const took = Math.round(performance.now() - before);
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([202]));

    const { rows } = await http.database.query(
      "select count(distinct server_id)::integer as used, count(*)::integer as placed from deploys where server_id is not null",
    );
    const [{ used, placed }] = rows as [{ used: number; placed: number }];
    process.stdout.write(`${placed} first deploys at once used ${used} of ${HOSTS} hosts, in ${took} ms\n`);
    expect(placed).toBe(FIRST_DEPLOYS);
    expect(used).toBeGreaterThanOrEqual(HOSTS_USED_MIN);
  },
);

test("apps that come one after another go where the most memory is left", async () => {
  await addHost("small", figures({ gib: 4, promisedGib: 2 }));
  await addHost("large", figures({ gib: 16, promisedGib: 2 }));
  for (const name of ["one", "two"]) {
    await create(name);
    await start(name);
    expect(await serverOf(name)).toBe("large");
    await http.database.query("update deploys set status = 'running', started_at = now() where status = 'pending'");
    await http.database.query("update deploys set status = 'failed', finished_at = now()");
  }
});

test("a first deploy waits while no server has memory for any app, and begins where room is made", async () => {
  await addHost("full", figures({ gib: 8, promisedGib: 7.5 }));
  const id = await addHost("also-full", figures({ gib: 8, promisedGib: 7.5 }));
  await create("late");
  expect((await start("late")).json).toEqual({ status: "queued" });
  await place();
  expect(await serverOf("late")).toBeNull();
  await hearOf(http, id, figures({ gib: 8, promisedGib: 4 }));
  await place();
  expect(await serverOf("late")).toBe("also-full");
});

test("deploys that wait for a server spread over those that come, and are given once", async () => {
  const apps = await Promise.all(Array.from({ length: 6 }, () => addApp(http.database.db, { serverId: null })));
  for (const app of apps) await addDeploy(http.database.db, app, null);
  for (const name of ["a", "b", "c"]) await addHost(name, figures({}));
  await Promise.all([place(), place(), place()]);
  const { rows } = await http.database.query(
    "select count(*)::integer as count from deploys where server_id is not null group by server_id",
  );
  expect(rows).toEqual([{ count: 2 }, { count: 2 }, { count: 2 }]);
  const { rows: stray } = await http.database.query(
    "select 1 from deploys d join apps a on a.id = d.app_id where a.server_id is distinct from d.server_id",
  );
  expect(stray).toEqual([]);
});

test("a server that is drained gets no app that waits, and does once it takes new apps again", async () => {
  const id = await addHost("rests", figures({}));
  await http.database.query("update servers set state = 'draining' where id = $1", [id]);
  await create("patient");
  await start("patient");
  await place();
  expect(await serverOf("patient")).toBeNull();
  await http.database.query("update servers set state = 'active' where id = $1", [id]);
  await place();
  expect(await serverOf("patient")).toBe("rests");
});

test("an app that lost its pool with a new team, or its server, waits for one that it may have", async () => {
  await addHost("gpu-1", figures({}));
  await http.database.query("update servers set pool = 'gpu' where state = 'active'");
  await http.database.query("update teams set pools = '{gpu}' where id = $1", [ada.userId]);
  await create("wants", { pool: "gpu" });
  await http.database.query("update teams set pools = '{}' where id = $1", [ada.userId]);
  expect((await start("wants")).json).toEqual({ status: "queued" });
  await place();
  expect(await serverOf("wants")).toBeNull();
  await http.database.query("update teams set pools = '{gpu}' where id = $1", [ada.userId]);
  await place();
  expect(await serverOf("wants")).toBe("gpu-1");
});
