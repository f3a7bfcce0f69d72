import { folderOf, folderRule, outputOf, planBuiltSite } from "./built-site.ts";
import type { FileTree } from "../repository/file-tree.ts";
import type { Framework } from "../framework.ts";
import { commandOption, readNodeApp } from "./node-app.ts";
import { readNodeConfig, type NodeConfig } from "./project/node-config.ts";
import { configFile, dependencySign, readPackage, type NodePackage } from "./project/node-package.ts";

/** A single-page app: built by Vite, served as files, with its page for every path that is none of them. */
export const vite: Framework = {
  name: "vite",
  recognisedBy: "a package.json with `vite` in its dependencies and an index.html",
  recognise: (files) => {
    const pkg = readPackage(files);
    const sign = pkg && dependencySign(pkg, "vite");
    if (sign === undefined || isServer(pkg!) || isOtherFramework(pkg!)) return undefined;
    return pageFolder(files, viteConfig(files)) === undefined ? undefined : `${sign}, and an index.html`;
  },
  plan: (files, input) => {
    const app = readNodeApp(files, input);
    const config = viteConfig(files);
    // Vite writes below its root, unless the configuration leads out of it again.
    const output = outputOf(
      commandOption(app, /\bvite build\b/, "outDir") ?? config.setting(["build", "outDir"]),
      "dist",
      pageFolder(files, config),
    );
    const rule = folderRule("Vite", "outDir", "dist");
    return planBuiltSite(app, { command: "vite build", output, rule, fallback: "/index.html", hashed: "assets" });
  },
};

function viteConfig(files: FileTree): NodeConfig {
  return readNodeConfig(configFile(files, "vite.config")?.text);
}

/** Where index.html is: the folder that the configuration calls the root, or else the repository's. */
function pageFolder(files: FileTree, config: NodeConfig): string | undefined {
  const root = folderOf(config.setting(["root"]));
  return [...(root === undefined ? [] : [root]), ""].find((folder) => files.list(folder).includes("index.html"));
}

/** A start script that runs a program of the user's own: Vite builds only a part. */
function isServer({ scripts }: NodePackage): boolean {
  return scripts.start !== undefined && /\b(?:node|tsx|ts-node|bun)\b/.test(scripts.start);
}

/** Frameworks upon Vite whose result is more than files. */
function isOtherFramework(pkg: NodePackage): boolean {
  const names = [
    "@sveltejs/kit",
    "@solidjs/start",
    "@builder.io/qwik-city",
    "@tanstack/react-start",
    "@analogjs/platform",
  ];
  return names.some((name) => dependencySign(pkg, name) !== undefined);
}
