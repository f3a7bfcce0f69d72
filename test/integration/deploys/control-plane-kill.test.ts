import { afterAll, beforeAll, expect, test } from "vitest";
import { STEP_NAMES } from "@svc/shared/rules/steps.ts";
import { eventually } from "../../support/tools/eventually.ts";
import { startSteppedDeploys, type SteppedDeploys } from "../../support/agent/step-by-step.ts";

/** From the start of the new process, whose first second or two go by before it listens. */
const GOES_ON_WITHIN_MS = 5_000;

let deploys: SteppedDeploys;

beforeAll(async () => {
  deploys = await startSteppedDeploys(1);
});
afterAll(() => deploys?.stop());

test("a control plane that is killed in any step goes on within 5 s of its next start, and no line is lost", async () => {
  const [controlPlane] = deploys.planes.daemons;
  const id = await deploys.start();
  const tookMs: number[] = [];
  for (const order of STEP_NAMES.keys().map((index) => index + 1)) {
    await deploys.more(id, order, 5);
    await controlPlane!.stop("SIGKILL");
    const before = await deploys.read(id, order);
    const startedAt = performance.now();
    const ready = controlPlane!.start();
    const after = await deploys.more(id, order, before.lines.length);
    tookMs.push(Math.round(performance.now() - startedAt));
    await ready;
    expect(after).toMatchObject({ status: "running", stepStatus: "running", run: 1, attempt: before.attempt + 1 });
    deploys.endStep();
    const { lines } = await eventually(
      () => deploys.read(id, order),
      ({ stepStatus }) => stepStatus === "success",
      { what: `${STEP_NAMES[order - 1]} succeeds` },
    );
    expect(lines.map(Number)).toEqual(lines.map((_, index) => index + 1));
  }
  await eventually(
    () => deploys.read(id, 4),
    ({ status }) => status === "success",
    { what: "the deploy succeeds" },
  );
  expect(deploys.runs()).toBe(4);
  expect(Math.max(...tookMs), `it went on after ${tookMs.join(", ")} ms`).toBeLessThan(GOES_ON_WITHIN_MS);
});
