import { SvcError } from "../errors.ts";
import { configuredFolder, folderRule, planBuiltSite } from "./built-site.ts";
import type { FileTree, Framework } from "./framework.ts";
import { readNodeApp } from "./node-app.ts";
import { planServer } from "./node-dockerfile.ts";
import { configFile, dependencySign, readPackage } from "./node-package.ts";
import type { NodeBuild } from "./node-stages.ts";

const BUILD: NodeBuild = { env: { ASTRO_TELEMETRY_DISABLED: "1" }, command: "astro build" };

/** Astro: files, or a server where its Node adapter has something to answer. */
export const astro: Framework = {
  name: "astro",
  recognisedBy: "a package.json with `astro` in its dependencies",
  recognise: (files) => {
    const pkg = readPackage(files);
    const sign = pkg && dependencySign(pkg, "astro");
    // Integrations for Astro have it among their development dependencies.
    const isBuilt = /\bastro build\b/.test(pkg?.scripts.build ?? "") || configFile(files, "astro.config") !== undefined;
    return isBuilt || pkg?.dependencies["astro"] !== undefined ? sign : undefined;
  },
  plan: (files, input) => {
    const app = readNodeApp(files, input);
    const config = configFile(files, "astro.config")?.text ?? "";
    const output = configuredFolder(config, "outDir") ?? "dist";
    if (!needsServer(files, config)) {
      refuseForeignAdapter(config, false);
      return planBuiltSite(app, { ...BUILD, output, rule: folderRule("Astro", "outDir", "dist"), hashed: "_astro" });
    }
    refuseForeignAdapter(config, true);
    return planServer(app, { ...BUILD, start: ["node", `./${output}/server/entry.mjs`] });
  },
};

/** Astro itself decides so: whether anything is not prerendered. */
function needsServer(files: FileTree, config: string): boolean {
  if (/\boutput\s*:\s*["'`](?:server|hybrid)["'`]/.test(config)) return true;
  return /\badapter\s*:/.test(config) && isAnyRendered(files);
}

/** More pages than a person writes one by one. */
const PAGES_READ_MAX = 500;

function isAnyRendered(files: FileTree): boolean {
  const folders = ["src/pages"];
  let read = 0;
  for (const folder of folders) {
    for (const name of files.list(folder)) {
      const path = `${folder}/${name}`;
      if (name.endsWith("/")) folders.push(path.slice(0, -1));
      else if ((read += 1) > PAGES_READ_MAX) return true;
      else if (/\bprerender\s*=\s*false\b/.test(files.read(path) ?? "")) return true;
    }
  }
  return false;
}

/** Adapters of hosts make what only these hosts can run. */
function refuseForeignAdapter(config: string, isServer: boolean): void {
  const adapter = /@astrojs\/(vercel|netlify|cloudflare)\b/.exec(config)?.[0];
  if (adapter === undefined) return;
  const remedy = isServer
    ? "Use the Node adapter instead (`npx astro add node`)."
    : "The site needs no server: remove the adapter, or use that of Node (`npx astro add node`).";
  throw new SvcError("framework_unknown", `The Astro configuration uses \`${adapter}\`, for another host. ${remedy}`);
}
