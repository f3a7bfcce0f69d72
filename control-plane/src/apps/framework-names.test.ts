import { FRAMEWORKS as BUILT } from "@svc/shared/frameworks/table.ts";
import { expect, test } from "vitest";
import { FRAMEWORKS } from "./framework.ts";

test("the API and the spec file take exactly the frameworks that can be built", () => {
  expect([...new Set(BUILT.map(({ name }) => name))].toSorted()).toEqual(FRAMEWORKS.toSorted());
});
