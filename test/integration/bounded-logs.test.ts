import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readOutputTail } from "@svc/control-plane/db/deploy-output.ts";
import { Step } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { DeployingApi } from "../support/deploying-api.ts";
import { startTestApi, type TestApi } from "../support/http.ts";
import { deployEnd, stepRows } from "../support/pipeline.ts";

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

/** Of text that does not compress. */
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
