import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readOutputTail } from "@svc/control-plane/deploys/events/deploy-output.store.ts";
import { Step } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { eventually } from "../../support/tools/eventually.ts";
import { DeployingApi } from "../../support/api/deploying-api.ts";
import { startTestApi, type TestApi } from "../../support/api/http.ts";
import { deployEnd, stepRows } from "../../support/api/pipeline.ts";

const LINE_BYTES = 8 * 1024;
const FAILURE = { case: "failure" as const, value: { code: "build_failed", message: "The build failed." } };

let http: TestApi;
let setup: DeployingApi;

beforeAll(async () => {
  http = await startTestApi();
  setup = await DeployingApi.start(http);
});
afterAll(async () => {
  await setup?.stopWorker();
  await http?.stop();
});

/** Makes a log of text that does not compress. */
function longLog(bytes: number): string[] {
  const body = () => randomBytes((LINE_BYTES / 4) * 3).toString("base64");
  return Array.from({ length: bytes / LINE_BYTES }, (_, i) => `${i} ${body()}`);
}

async function databaseBytes(): Promise<number> {
  const { rows } = await http.database.query(`select sum(pg_total_relation_size(c))::float8 as bytes
    from unnest(array['deploy_events', 'deploy_steps', 'deploys']::regclass[]) c`);
  return Number(rows[0]!["bytes"]);
}

test("a deploy that fails with 12 MB of log leaves at most 5 MB, and its output ends with the log's last 64 KiB", async () => {
  const app = await setup.addApp();
  const lines = longLog(12_000_000 - (12_000_000 % LINE_BYTES));
  setup.agent.script(Step.CLONE_BUILD, { lines, outcome: FAILURE });
  const sizes = [await databaseBytes()];
  for (let i = 0; i < 3; i++) {
    const id = String((await app.start()).json["deploy_id"]);
    expect((await deployEnd(http.database.db, id, 60_000)).status).toBe("failed");
    await app.lockFreed();
    sizes.push(await databaseBytes());
    const [, build] = await stepRows(http.database.db, id);
    expect(build!.output).toBe(lines.slice(-7).join("\n"));
    expect(await readOutputTail(http.database.db, id, 2)).toBe(build!.output);
    const { rows } = await http.database.query(
      `select sum(jsonb_array_length(payload -> 'lines') + (payload ->> 'dropped')::integer)::integer as lines
       from deploy_events where deploy_id = $1 and kind = 'log' and step_order = 2`,
      [id],
    );
    expect(rows[0]!["lines"]).toBe(lines.length);
  }
  const left = sizes.slice(1).map((bytes, i) => bytes - sizes[i]!);
  expect(Math.max(...left)).toBeLessThan(5_000_000);
});

test("a log of 1,000,000 lines is stored in few batches, each with one notification", async () => {
  const app = await setup.addApp();
  const lines = Array.from({ length: 2_000 }, (_, i) => Array.from({ length: 500 }, (_, j) => `line ${i * 500 + j}`));
  setup.agent.script(Step.CLONE_BUILD, { batches: lines, outcome: FAILURE });
  const told: (string | undefined)[] = [];
  const unsubscribe = http.notifications.subscribe("deploy_events", (id) => told.push(id));
  const id = String((await app.start()).json["deploy_id"]);
  expect((await deployEnd(http.database.db, id, 60_000)).status).toBe("failed");
  await app.lockFreed();
  unsubscribe();
  expect(told.filter((each) => each === id).length).toBeLessThan(200);
  const { rows } = await http.database.query("select event_count::integer as count from deploys where id = $1", [id]);
  expect(rows[0]!["count"]).toBeLessThan(200);
});

test("a worker that can't store what waited of a fast log leaves the agent's stream before it attaches anew", async () => {
  const app = await setup.addApp();
  // The batches fit at once, but for the last, which waits for some seconds.
  const batches = [...Array<number>(17).fill(32), 13].map((lines) => Array<string>(lines).fill("x".repeat(1_880)));
  setup.agent.script(Step.CLONE_BUILD, { batches, outcome: "hang" });
  setup.agent.requests.length = 0;
  const attempts = () => setup.agent.requests.filter(({ step }) => step === Step.CLONE_BUILD).length;
  const id = String((await app.start()).json["deploy_id"]);
  const untilStored = (wanted: number) =>
    eventually(
      async () => {
        const { rows } = await http.database.query(
          "select count(*)::integer as count from deploy_events where deploy_id = $1 and kind = 'log'",
          [id],
        );
        return rows[0]!["count"];
      },
      (count) => count === wanted,
      { what: `${wanted} rows are stored`, deadlineMs: 20_000 },
    );
  await untilStored(17);
  await http.database.query("alter table deploy_events rename to hidden");
  try {
    await eventually(attempts, (count) => count > 1, { what: "the worker attaches anew", deadlineMs: 20_000 });
  } finally {
    await http.database.query("alter table hidden rename to deploy_events");
  }
  await untilStored(18);
  expect(setup.agent.attached).toBe(1);
  setup.agent.finish(Step.CLONE_BUILD);
  expect((await deployEnd(http.database.db, id, 60_000)).status).toBe("success");
});
