import type { Framework } from "../framework.ts";
import { planNodeServer } from "./node-dockerfile.ts";
import { serverSign } from "./server-framework.ts";

export const express: Framework = {
  name: "express",
  recognisedBy: "a package.json with `express` in its dependencies",
  recognise: (files) => serverSign(files, "express"),
  plan: (files, input) => planNodeServer(files, input),
};
