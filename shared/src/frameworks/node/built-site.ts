import { posix } from "node:path";
import { caddyStage, type CaddySite } from "../dockerfile/caddy-site.ts";
import { BUILD_FOLDER } from "../javascript/computed-path.ts";
import { DEFAULT_PORT } from "../../rules/frameworks.ts";
import type { NodeApp } from "./node-app.ts";
import type { Setting } from "../repository/found-setting.ts";
import { stringOf } from "./project/node-config.ts";
import { generated, planServer, type Plan } from "./node-dockerfile.ts";
import { buildStages, type NodeBuild } from "./node-stages.ts";
import { takeFirstSite } from "../repository/site-folder.ts";

/** A folder of the app; or several, of which the first with an index.html after the build is the site. */
export type SiteOutput = string | readonly string[];

/** Where tools write that are told another folder than their usual one, from their root. */
const USUAL_OUTPUTS = ["dist", "dist/*", "build", "build/*", "out", "www", "_site", "public"];

/** The folders that are looked at when only the configuration's own code can tell the right one. */
function searched(root: string): SiteOutput {
  const below = root === "" ? [] : USUAL_OUTPUTS.map((folder) => `${root}/${folder}`);
  return [...below, ...USUAL_OUTPUTS];
}

export interface BuiltSite extends CaddySite, NodeBuild {
  /** The folder that the build writes. */
  output: SiteOutput;
  /** Why that one, as in BuildOutput. */
  rule: string;
}

/** Files that Node builds and Caddy serves: nothing of Node is in the image, unless the user starts a program of it. */
export function planBuiltSite(app: NodeApp, site: BuiltSite): Plan {
  if (app.input.start !== undefined) return planServer(app, site);
  const port = app.input.port ?? DEFAULT_PORT;
  if (typeof site.output !== "string") return planSearchedSite(app, site, site.output, port);
  const path = `${app.folder}/${site.output}`;
  const copy = `COPY --from=build ${path} /srv`;
  const lines = [...buildStages(app, site), "", ...caddyStage(site, app.input, port, copy)];
  return { ...generated(app, lines, port), outputs: [{ path, rule: site.rule }] };
}

/** The build itself shows where the site is. */
function planSearchedSite(app: NodeApp, site: BuiltSite, folders: readonly string[], port: number): Plan {
  const finish = takeFirstSite(folders, "none");
  const copy = "COPY --from=build /site /srv";
  const lines = [...buildStages(app, { ...site, finish }), "", ...caddyStage(site, app.input, port, copy)];
  const note =
    "The configuration computes the folder that the build writes. The site is the first of the folders " +
    `${folders.join(", ")} that has an index.html after the build.`;
  return generated(app, lines, port, [note]);
}

/** The rule of a framework whose configuration may name another folder. */
export function folderRule(framework: string, key: string, usual: string): string {
  return `${framework} writes the folder that \`${key}\` of its configuration names as a plain string, or else \`${usual}\``;
}

/**
 * Returns the folder that a tool writes: the one that its configuration names, or else the usual one, from the tool's
 * own root.
 */
export function outputOf(setting: Setting, usual: string, root = ""): SiteOutput {
  if (setting.kind === "other") return searched(root);
  if (setting.kind !== "literal") return insideOf(root, usual)!;
  return folderOf(setting, root) ?? searched(root);
}

/** The folder of the repository that a setting names as a plain string; undefined when there is none, or it is outside. */
export function folderOf(setting: Setting, root = ""): string | undefined {
  const value = stringOf(setting);
  return value === undefined ? undefined : insideOf(root, value);
}

/** A path that means the same in a Dockerfile and in a shell; undefined when it is no folder inside. */
function insideOf(root: string, folder: string): string | undefined {
  const path = posix.relative(BUILD_FOLDER, posix.resolve(BUILD_FOLDER, root, folder));
  const isPlain = /^[\w.-]+(?:\/[\w.-]+)*$/.test(path);
  return isPlain && !path.startsWith("..") && !path.startsWith("-") ? path : undefined;
}
