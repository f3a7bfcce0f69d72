import type { Framework } from "./framework.ts";
import { planNode } from "./node-dockerfile.ts";
import { readPackage } from "./node-package.ts";

export const express: Framework = {
  name: "express",
  recognisedBy: "a package.json with `express` in its dependencies",
  recognise: (files) =>
    readPackage(files)?.dependencies.express === undefined ? undefined : "`express` in dependencies",
  plan: planNode,
};
