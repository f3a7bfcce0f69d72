import { configuredFolder, folderRule, planBuiltSite } from "./built-site.ts";
import type { FileTree, Framework } from "./framework.ts";
import { readNodeApp } from "./node-app.ts";
import { configFile, dependencySign, readPackage, type NodePackage } from "./node-package.ts";

/** A single-page app: built by Vite, served as files, with its page for every path that is none of them. */
export const vite: Framework = {
  name: "vite",
  recognisedBy: "a package.json with `vite` in its dependencies and an index.html",
  recognise: (files) => {
    const pkg = readPackage(files);
    if (!pkg || pageFolder(files) === undefined || isServer(pkg) || isOtherFramework(pkg)) return undefined;
    const sign = dependencySign(pkg, "vite");
    return sign && `${sign}, and an index.html`;
  },
  plan: (files, input) => {
    const app = readNodeApp(files, input);
    const folder = configuredFolder(viteConfig(files), "outDir") ?? "dist";
    const root = pageFolder(files);
    // Vite writes below its root, unless the configuration leads out of it again.
    const output = root === undefined || root === "" || leadsOut(files) ? folder : `${root}/${folder}`;
    const rule = folderRule("Vite", "outDir", "dist");
    return planBuiltSite(app, { command: "vite build", output, rule, fallback: "/index.html", hashed: "assets" });
  },
};

function viteConfig(files: FileTree): string {
  return configFile(files, "vite.config")?.text ?? "";
}

function leadsOut(files: FileTree): boolean {
  return /\boutDir\s*:\s*(?:["'`]\.\.\/|\w*\.?resolve\()/.test(viteConfig(files));
}

/** Where index.html is: the root, or the folder that the configuration calls so. */
function pageFolder(files: FileTree): string | undefined {
  const root = configuredFolder(viteConfig(files), "root");
  return ["", ...(root === undefined ? [] : [root])].find((folder) => files.list(folder).includes("index.html"));
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
