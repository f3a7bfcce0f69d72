import { caddyStage, type CaddySite } from "./caddy-site.ts";
import { DEFAULT_PORT } from "./framework.ts";
import type { NodeApp } from "./node-app.ts";
import { generated, type Plan } from "./node-dockerfile.ts";
import { buildStages, type NodeBuild } from "./node-stages.ts";

export interface BuiltSite extends CaddySite, NodeBuild {
  /** Folder of the app that the build writes. */
  output: string;
}

/** Files that Node builds and Caddy serves: nothing of Node is in the image. */
export function planBuiltSite(app: NodeApp, site: BuiltSite): Plan {
  const port = app.input.port ?? DEFAULT_PORT;
  const copy = `COPY --from=build /app/${site.output} /srv`;
  const lines = [...buildStages(app, site), "", ...caddyStage(site, app.input, port, copy)];
  return generated(app, lines, port);
}

/** Written in a configuration file as `key: "value"`, a plain relative path; undefined when it is not. */
export function configuredFolder(text: string, key: string): string | undefined {
  const value = new RegExp(`\\b${key}\\s*:\\s*["'\`]([^"'\`]*)["'\`]`).exec(text)?.[1]?.replace(/^\.\//, "");
  const isFolder = value !== undefined && /^[\w.-]+(?:\/[\w.-]+)*\/?$/.test(value) && !value.includes("..");
  return isFolder ? value.replace(/\/$/, "") : undefined;
}
