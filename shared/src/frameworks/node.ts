import type { Framework } from "./framework.ts";
import { startSign } from "./node-app.ts";
import { planNodeServer } from "./node-dockerfile.ts";
import { readPackage } from "./node-package.ts";

/** Any other app that Node runs (decisions, Pipeline). */
export const node: Framework = {
  name: "node",
  recognisedBy: "a package.json with a start script or an existing `main`",
  recognise: (files) => {
    const pkg = readPackage(files);
    return pkg && startSign(files, pkg);
  },
  plan: (files, input) => planNodeServer(files, input),
};
