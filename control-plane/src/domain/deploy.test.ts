import { expect, test } from "vitest";
import { canBecome, DEPLOY_STATUSES, isTerminal, STEP_NAMES, stepOrder } from "./deploy.ts";

test("nothing follows a terminal status", () => {
  for (const from of DEPLOY_STATUSES) {
    const next = DEPLOY_STATUSES.filter((to) => canBecome(from, to));
    expect(next.length === 0).toBe(isTerminal(from));
    expect(next).not.toContain(from);
  }
});

test("what waits is run or canceled, and never ends otherwise", () => {
  expect(DEPLOY_STATUSES.filter((to) => canBecome("pending", to))).toEqual(["running", "canceled"]);
});

test("steps are numbered from 1 in the pipeline's order", () => {
  expect(STEP_NAMES.map(stepOrder)).toEqual([1, 2, 3, 4]);
});
