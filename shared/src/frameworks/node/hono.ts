import type { Framework } from "../framework.ts";
import { planNodeServer } from "./node-dockerfile.ts";
import { serverSign } from "./server-framework.ts";

export const hono: Framework = {
  name: "hono",
  recognisedBy: "a package.json with `hono` in its dependencies",
  recognise: (files) => serverSign(files, "hono"),
  plan: (files, input) => planNodeServer(files, input),
};
