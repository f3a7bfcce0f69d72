import { expect, test } from "vitest";
import { STEP_NAMES } from "@svc/shared/rules/steps.ts";
import { DEPLOY_STATUSES, isTerminal, NEXT_STATUSES, stepOrder } from "./deploy.ts";

test("nothing follows a terminal status", () => {
  for (const from of DEPLOY_STATUSES) {
    expect(NEXT_STATUSES[from].length === 0).toBe(isTerminal(from));
    expect(NEXT_STATUSES[from]).not.toContain(from);
  }
});

test("a waiting deploy is run or canceled, and never ends otherwise", () => {
  expect(NEXT_STATUSES.pending).toEqual(["running", "canceled"]);
});

test("steps are numbered from 1 in the pipeline's order", () => {
  expect(STEP_NAMES.map(stepOrder)).toEqual([1, 2, 3, 4]);
});
