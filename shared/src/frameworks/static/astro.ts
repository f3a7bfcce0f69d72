import { SvcError } from "../../errors.ts";
import { buildVariables } from "../node/build-variables.ts";
import { folderOf, folderRule, outputOf, planBuiltSite } from "../node/built-site.ts";
import type { FileTree } from "../repository/file-tree.ts";
import type { Framework } from "../framework.ts";
import { commandOption, readNodeApp } from "../node/node-app.ts";
import { type NodeConfig, readNodeConfig, stringOf } from "../node/project/node-config.ts";
import { planServer } from "../node/node-dockerfile.ts";
import { configFile, dependencySign, readPackage } from "../node/project/node-package.ts";
import type { NodeBuild } from "../node/node-stages.ts";
import type { SyntaxNode } from "@lezer/common";
import {
  childrenOf,
  type ParsedScript,
  parseJavaScript,
  SCRIPT_LENGTH_MAX,
  textOf,
} from "../javascript/parse-javascript.ts";

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

/** More pages than a person writes one by one. */
const PAGES_READ_MAX = 500;

/** Whether a page is rendered for each request: it has `export const prerender = false`. */
function isAnyPageRendered(files: FileTree): boolean {
  const folders = ["src/pages"];
  let read = 0;
  let lengthParsed = 0;
  for (const folder of folders) {
    for (const name of files.list(folder)) {
      const path = `${folder}/${name}`;
      if (name.endsWith("/")) {
        folders.push(path.slice(0, -1));
        continue;
      }
      read += 1;
      if (read > PAGES_READ_MAX) return true;
      const text = files.read(path) ?? "";
      if (!/\bprerender\s*=\s*false\b/.test(text)) continue;
      lengthParsed += text.length;
      if (lengthParsed > SCRIPT_LENGTH_MAX || isRendered(name, text)) return true;
    }
  }
  return false;
}

/** @param text that has the setting, though perhaps in a comment; where nothing can be parsed, it counts as set */
function isRendered(name: string, text: string): boolean {
  const code = name.endsWith(".astro") ? frontMatter(text) : /\.[cm]?[jt]s$/.test(name) ? text : undefined;
  const script = code === undefined ? undefined : parseJavaScript(code);
  return script === undefined || childrenOf(script.top).some((statement) => setsPrerenderFalse(script, statement));
}

/** The code of an Astro page, between its first two fences. */
function frontMatter(text: string): string {
  const lines = text.split("\n");
  const isFence = (line: string): boolean => line.trimStart().startsWith("---");
  const start = lines.findIndex(isFence);
  const end = lines.findIndex((line, i) => i > start && isFence(line));
  return start === -1 || end === -1 ? "" : lines.slice(start + 1, end).join("\n");
}

function setsPrerenderFalse(script: ParsedScript, statement: SyntaxNode): boolean {
  const declaration = statement.name === "ExportDeclaration" ? statement.getChild("VariableDeclaration") : null;
  const parts = declaration === null ? [] : childrenOf(declaration).filter(({ name }) => name !== "TypeAnnotation");
  return parts.some((part, i) => {
    const value = parts[i + 2];
    return textOf(script, part) === "prerender" && value !== undefined && textOf(script, value) === "false";
  });
}
