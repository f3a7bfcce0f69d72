import { afterAll, beforeAll, expect, test } from "vitest";
import { deleteOldDeployEvents } from "@svc/control-plane/db/deploy-events.ts";
import { startTestApi, type TestApi } from "../support/http.ts";

let http: TestApi;

beforeAll(async () => {
  http = await startTestApi();
});
afterAll(() => http?.stop());

test("events go 14 days after their deploy has ended, a batch at a time", async () => {
  const ada = await http.addCaller();
  const ages = [
    ["ended-long-ago", "now() - interval '14 days 1 minute'"],
    ["ended-lately", "now() - interval '13 days'"],
    ["runs", "null"],
  ];
  for (const [name, finishedAt] of ages) {
    await ada.call("POST", "/api/apps", { name, repo_url: "https://git.example.test/a.git" });
    await ada.call("POST", `/api/apps/${name}/deploy`, {});
    const inserted = `insert into deploy_events (deploy_id, number, kind, payload)
      select d.id, n, 'log', '{}' from deploys d join apps a on a.id = d.app_id, generate_series(1, 5) n where a.name = $1`;
    await http.database.query(inserted, [name]);
    if (finishedAt === "null") continue;
    const ended = `update deploys set status = 'canceled', finished_at = ${finishedAt}
      where app_id = (select id from apps where name = $1)`;
    await http.database.query(ended, [name]);
  }
  const { db } = http.database;
  expect([await deleteOldDeployEvents(db, 3), await deleteOldDeployEvents(db, 3)]).toEqual([3, 2]);
  const { rows } = await http.database.query(
    `select a.name, count(*)::integer as count from deploy_events e join deploys d on d.id = e.deploy_id
     join apps a on a.id = d.app_id group by a.name order by a.name`,
  );
  expect(rows).toEqual([
    { name: "ended-lately", count: 5 },
    { name: "runs", count: 5 },
  ]);
});
