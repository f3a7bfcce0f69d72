import { SvcError } from "../../errors.ts";
import { buildEnvInstructions } from "../dockerfile/build-env.ts";
import { caddyStage } from "../dockerfile/caddy-site.ts";
import type { FileTree } from "../repository/file-tree.ts";
import { DEFAULT_PORT } from "../../rules/frameworks.ts";
import type { Framework, PlanInput } from "../framework.ts";
import { readNodeApp } from "../node/node-app.ts";
import { readPackage } from "../node/project/node-package.ts";
import { generated, type Plan } from "../node/node-dockerfile.ts";
import { buildStages } from "../node/node-stages.ts";
import { runInstruction } from "../dockerfile/run-instruction.ts";
import { takeFirstSite } from "../repository/site-folder.ts";
import { SPEC_FILES } from "../../spec/deploy-spec.ts";
import { staticFolder } from "../node/project/static-folder.ts";

export const FILES_ARE_SERVED =
  "The platform itself serves the files of a static site; the Procfile's `web` line is not used.";

/** Files as they are, served by Caddy. */
export const staticSite: Framework = {
  name: "static",
  recognisedBy: "an index.html",
  ignoresProcfile: FILES_ARE_SERVED,
  recognise: (files) => {
    const folder = staticFolder(files);
    if (folder === undefined) return undefined;
    return folder === "." ? "index.html at the repository's root" : `${folder}/index.html, and firebase.json`;
  },
  plan: (files, input) => {
    if (files.list().length === 0) {
      throw new SvcError("framework_unknown", "The repository is empty. Push the files of the site.");
    }
    if (input.build !== undefined || readPackage(files)?.scripts.build !== undefined) return planBuilt(files, input);
    const port = input.port ?? DEFAULT_PORT;
    const folder = staticFolder(files);
    const note = "There is no index.html at the repository's root, so the site's address / shows nothing.";
    return generated(
      { notes: [] },
      caddyStage({ hidden: ownFiles(files) }, input, port, `COPY ${folder ?? "."} /srv`),
      port,
      folder ? [] : [note],
    );
  },
};

/** They say how the site is built, to the platform alone. */
function ownFiles(files: FileTree): string[] {
  return SPEC_FILES.filter((name) => files.read(name) !== undefined);
}

/** Where tools that make sites write them, in the order in which they are looked at. */
const OUTPUTS = ["dist", "dist/*/browser", "build", "out", "_site", "public"];

const FINISH = takeFirstSite(OUTPUTS, "everything");

/** A command, or the build script, makes the files: it runs with Node, and with the dependencies if there are any. */
function planBuilt(files: FileTree, input: PlanInput): Plan {
  const port = input.port ?? DEFAULT_PORT;
  const note = `The site is the first of the folders ${OUTPUTS.join(", ")} that has an index.html after the build, else everything.`;
  const site = ["", ...caddyStage({ hidden: ownFiles(files) }, input, port, "COPY --from=build /site /srv")];
  if (files.read("package.json") === undefined) {
    const build = input.build === undefined ? [] : [runInstruction(input.build)];
    const env = buildEnvInstructions(input.buildEnvKeys);
    const lines = ["FROM node:22-slim AS build", "WORKDIR /app", "COPY . .", ...env, ...build, `RUN ${FINISH}`];
    return generated({ notes: [] }, [...lines, ...site], port, [note]);
  }
  const app = readNodeApp(files, input);
  return generated(app, [...buildStages(app, { finish: FINISH }), ...site], port, [note]);
}
