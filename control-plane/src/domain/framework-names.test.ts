import { FRAMEWORK_NAMES } from "@svc/shared/spec/framework-names.ts";
import { expect, test } from "vitest";
import { FRAMEWORKS } from "./framework.ts";

test("the API and the spec file take the same frameworks", () => {
  expect(FRAMEWORKS).toEqual(FRAMEWORK_NAMES);
});
