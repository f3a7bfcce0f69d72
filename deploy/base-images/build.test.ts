import { NODE_MAJORS } from "@svc/shared/frameworks/node/project/node-version.ts";
import { expect, it } from "vitest";
import { essentialNames, recipes } from "./build.mjs";

it("there is a base image for every Node.js that an app may ask for, of which a host needs one", () => {
  const names = recipes.map(({ name }) => name);
  for (const major of NODE_MAJORS) expect(names).toContain(`node:${major}-slim`);
  expect(essentialNames.filter((name) => name.startsWith("node:"))).toEqual(["node:22-slim"]);
});
