import { SvcError } from "../../errors.ts";
import { isAnyPageRendered } from "./astro-pages.ts";
import { buildVariables } from "../node/build-variables.ts";
import { folderOf, folderRule, outputOf, planBuiltSite } from "../node/built-site.ts";
import type { FileTree } from "../repository/file-tree.ts";
import type { Framework } from "../framework.ts";
import { commandOption, readNodeApp } from "../node/node-app.ts";
import { readNodeConfig, stringOf, type NodeConfig } from "../node/project/node-config.ts";
import { planServer } from "../node/node-dockerfile.ts";
import { configFile, dependencySign, readPackage } from "../node/project/node-package.ts";
import type { NodeBuild } from "../node/node-stages.ts";

const BUILD: NodeBuild = { env: { ASTRO_TELEMETRY_DISABLED: "1" }, command: "astro build" };

/** Stands in the order in which Astro looks for them. */
const CONFIG_ENDINGS = ["mjs", "js", "ts", "mts", "cjs", "cts"];

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
    const text = configFile(files, "astro.config", CONFIG_ENDINGS)?.text;
    const config = readNodeConfig(text, buildVariables(app));
    const outDir = commandOption(app, /\bastro build\b/, "outDir") ?? readNodeConfig(text).setting(["outDir"]);
    if (!needsServer(files, config)) {
      refuseForeignAdapter(config, false);
      const output = outputOf(outDir, "dist");
      return planBuiltSite(app, { ...BUILD, output, rule: folderRule("Astro", "outDir", "dist"), hashed: "_astro" });
    }
    refuseForeignAdapter(config, true);
    return planServer(app, { ...BUILD, start: ["node", `./${folderOf(outDir) ?? "dist"}/server/entry.mjs`] });
  },
};

/** Astro itself decides so: whether anything is not prerendered. */
function needsServer(files: FileTree, config: NodeConfig): boolean {
  const output = config.setting(["output"]);
  if (["server", "hybrid"].includes(stringOf(output) ?? "")) return true;
  const hasAdapter = ["literal", "other"].includes(config.setting(["adapter"]).kind);
  return hasAdapter && (output.kind === "other" || isAnyPageRendered(files));
}

/** Adapters of hosts make what only these hosts can run. */
function refuseForeignAdapter(config: NodeConfig, isServer: boolean): void {
  const adapter = /^@astrojs\/(?:vercel|netlify|cloudflare)\b/.exec(config.packageCalledAt(["adapter"]) ?? "")?.[0];
  if (adapter === undefined) return;
  const remedy = isServer
    ? "Use the Node adapter instead (`npx astro add node`)."
    : "The site needs no server: remove the adapter, or use that of Node (`npx astro add node`).";
  throw new SvcError("framework_unknown", `The Astro configuration uses \`${adapter}\`, for another host. ${remedy}`);
}
