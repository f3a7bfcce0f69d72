import type { Framework } from "./framework.ts";
import { planNode } from "./node-dockerfile.ts";
import { readPackage, startSign } from "./node-package.ts";

/** Any other app that Node runs (decisions, Pipeline). */
export const node: Framework = {
  name: "node",
  recognisedBy: "a package.json with a start script or an existing `main`",
  recognise: (files) => {
    const pkg = readPackage(files);
    return pkg && startSign(files, pkg);
  },
  plan: planNode,
};
