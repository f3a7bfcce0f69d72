import { SvcError } from "../../errors.ts";
import type { Framework } from "../framework.ts";
import { hasProcfileStart, isDevelopmentServer, servesFiles, startScript, startSign } from "./node-app.ts";
import { planNodeServer } from "./node-dockerfile.ts";
import { readPackage } from "./project/node-package.ts";
import { staticFolder } from "./project/static-folder.ts";

/** Any other app that Node runs. */
export const node: Framework = {
  name: "node",
  recognisedBy: "a package.json with a start script or an existing `main`",
  recognise: (files) => {
    const pkg = readPackage(files);
    if (!pkg) return undefined;
    if (hasProcfileStart(files, pkg)) return startSign(files, pkg);
    const script = pkg.scripts[startScript(pkg) ?? "start"];
    if (script !== undefined && servesFiles(script) && staticFolder(files) !== undefined) return undefined;
    if (script !== undefined && isDevelopmentServer(script)) throw forDevelopment(script);
    return startSign(files, pkg);
  },
  plan: (files, input) => planNodeServer(files, input),
};

function forDevelopment(script: string): SvcError {
  return new SvcError(
    "framework_unknown",
    `The start script (${script.slice(0, SCRIPT_CHARACTERS_SHOWN)}) is a server for development. To serve what the build ` +
      "script makes, name the `framework` static; otherwise write a start script for production, or add a Dockerfile.",
  );
}

/** This is enough to recognise it by. */
const SCRIPT_CHARACTERS_SHOWN = 80;
