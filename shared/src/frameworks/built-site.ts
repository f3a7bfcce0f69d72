import { caddyStage, type CaddySite } from "./caddy-site.ts";
import { DEFAULT_PORT } from "./framework.ts";
import type { NodeApp } from "./node-app.ts";
import { generated, planServer, type Plan } from "./node-dockerfile.ts";
import { buildStages, type NodeBuild } from "./node-stages.ts";

export interface BuiltSite extends CaddySite, NodeBuild {
  /** Folder of the app that the build writes. */
  output: string;
  /** Why that one, as in BuildOutput. */
  rule: string;
}

/** Files that Node builds and Caddy serves: nothing of Node is in the image, unless the user starts a program of it. */
export function planBuiltSite(app: NodeApp, site: BuiltSite): Plan {
  if (app.input.start !== undefined) return planServer(app, site);
  const port = app.input.port ?? DEFAULT_PORT;
  const path = `/app/${site.output}`;
  const copy = `COPY --from=build ${path} /srv`;
  const lines = [...buildStages(app, site), "", ...caddyStage(site, app.input, port, copy)];
  return { ...generated(app, lines, port), outputs: [{ path, rule: site.rule }] };
}

/** The rule of a framework whose configuration may name another folder. */
export function folderRule(framework: string, key: string, usual: string): string {
  return `${framework} writes the folder that \`${key}\` of its configuration names as a plain string, or else \`${usual}\``;
}

/** Written in a configuration file as `key: "value"`, a plain relative path; undefined when it is not. */
export function configuredFolder(text: string, key: string): string | undefined {
  const value = new RegExp(`\\b${key}\\s*:\\s*["'\`]([^"'\`]*)["'\`]`).exec(text)?.[1]?.replace(/^\.\//, "");
  const isFolder = value !== undefined && /^[\w.-]+(?:\/[\w.-]+)*\/?$/.test(value) && !value.includes("..");
  return isFolder ? value.replace(/\/$/, "") : undefined;
}
