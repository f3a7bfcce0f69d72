import type { Framework } from "../framework.ts";
import { planNodeServer } from "./node-dockerfile.ts";
import { serverSign } from "./server-framework.ts";

export const fastify: Framework = {
  name: "fastify",
  recognisedBy: "a package.json with `fastify` in its dependencies",
  recognise: (files) => serverSign(files, "fastify"),
  plan: (files, input) => planNodeServer(files, input),
};
