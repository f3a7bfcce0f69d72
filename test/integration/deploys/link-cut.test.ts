import { afterAll, beforeAll, expect, test } from "vitest";
import { startCuttingProxy, type CuttingProxy } from "../../support/tools/cutting-proxy.ts";
import { eventually } from "../../support/tools/eventually.ts";
import { startSteppedDeploys, type SteppedDeploys } from "../../support/agent/step-by-step.ts";

const CUT_MS = 60_000;

let line: CuttingProxy;
let deploys: SteppedDeploys;

beforeAll(async () => {
  deploys = await startSteppedDeploys(1, async ([controlPlane]) => {
    line = await startCuttingProxy(`http://127.0.0.1:${controlPlane!.address.port}`);
    return { host: "127.0.0.1", port: Number(new URL(line.url).port) };
  });
});
afterAll(async () => {
  await deploys?.stop();
  await line?.close();
});

test("a deploy whose agent is cut off for 60 s in its build goes on, and so does the build meanwhile", async () => {
  const id = await deploys.start();
  await deploys.more(id, 1, 0);
  deploys.endStep();
  await deploys.more(id, 2, 5);

  line.refuse(true);
  const cutAt = performance.now();
  const before = await deploys.read(id, 2);
  await eventually(
    async () => ({ ...(await deploys.read(id, 2)), ms: performance.now() - cutAt }),
    ({ status, ms }) => status !== "running" || ms > CUT_MS,
    { what: "60 s have gone by", deadlineMs: CUT_MS + 5_000, isPromised: true, intervalMs: 1_000 },
  );
  line.refuse(false);

  // Redialled within half a minute, as after any cut.
  const after = await deploys.more(id, 2, before.lines.length + 1_000, 40_000);
  expect(after).toMatchObject({ status: "running", attempt: 1, run: 1, stepStatus: "running" });
  for (const order of [2, 3, 4]) {
    deploys.endStep();
    await eventually(
      () => deploys.read(id, order),
      ({ stepStatus }) => stepStatus === "success",
      { what: `step ${order} succeeds` },
    );
    if (order < 4) await deploys.more(id, order + 1, 0);
  }
  const { status, lines } = await eventually(
    () => deploys.read(id, 2),
    (deploy) => deploy.status !== "running",
    { what: "the deploy ends" },
  );
  expect(status).toBe("success");
  expect(lines.map(Number)).toEqual(lines.map((_, index) => index + 1));
  expect(deploys.runs()).toBe(4);
});
