import { SvcError } from "../errors.ts";
import { caddyStage } from "./caddy-site.ts";
import { DEFAULT_PORT, type FileTree, type Framework, type PlanInput } from "./framework.ts";
import { readNodeApp } from "./node-app.ts";
import { generated, type Plan } from "./node-dockerfile.ts";
import { buildStages } from "./node-stages.ts";

/** Files as they are, served by Caddy. */
export const staticSite: Framework = {
  name: "static",
  recognisedBy: "an index.html",
  recognise: (files) => (files.list().includes("index.html") ? "index.html at the repository's root" : undefined),
  plan: (files, input) => {
    if (files.list().length === 0) {
      throw new SvcError("framework_unknown", "The repository is empty. Push the files of the site.");
    }
    if (input.build !== undefined) return planBuilt(files, input);
    const port = input.port ?? DEFAULT_PORT;
    const hasIndex = files.list().includes("index.html");
    const note = "There is no index.html at the repository's root, so the site's address / shows nothing.";
    return generated({ notes: [] }, caddyStage({}, input, port, "COPY . /srv"), port, hasIndex ? [] : [note]);
  },
};

/** Where tools that make sites write them, in the order in which they are looked at. */
const OUTPUTS = ["dist", "build", "out", "_site", "public"];

/** Somebody gave a command that makes the files: it runs with Node, and with the dependencies if there are any. */
function planBuilt(files: FileTree, input: PlanInput): Plan {
  const port = input.port ?? DEFAULT_PORT;
  const finish = `for folder in ${OUTPUTS.join(" ")} .; do if [ -f "$folder/index.html" ]; then break; fi; done; cp -a "$folder" /site`;
  const note = `The site is the first of the folders ${OUTPUTS.join(", ")} that has an index.html after the build, else everything.`;
  const copy = "COPY --from=build /site /srv";
  if (files.read("package.json") === undefined) {
    const build = `RUN ${JSON.stringify(["/bin/sh", "-c", input.build])}`;
    const lines = ["FROM node:22-slim AS build", "WORKDIR /app", "COPY . .", build, `RUN ${finish}`, ""];
    return generated({ notes: [] }, [...lines, ...caddyStage({}, input, port, copy)], port, [note]);
  }
  const app = readNodeApp(files, input);
  return generated(app, [...buildStages(app, { finish }), "", ...caddyStage({}, input, port, copy)], port, [note]);
}
