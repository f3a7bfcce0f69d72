import { angularBuild } from "./angular-output.ts";
import { folderOf, folderRule, outputOf, planBuiltSite, type SiteOutput } from "../node/built-site.ts";
import type { FileTree } from "../repository/file-tree.ts";
import type { Framework } from "../framework.ts";
import { hasProcfileStart, isDevelopmentServer, readNodeApp, servesFiles } from "../node/node-app.ts";
import { readNodeConfig } from "../node/project/node-config.ts";
import { configFile, dependencySign, readPackage, type NodePackage } from "../node/project/node-package.ts";
import type { NodeBuild } from "../node/node-stages.ts";
import { FILES_ARE_SERVED, staticSite } from "./static.ts";

/** A tool whose build makes a site of files, and whose `npm start` is for its development. */
interface SiteTool {
  title: string;
  package: string;
  /** The build command without a build script. */
  command: string;
  /**
   * Returns the folder that its build writes, and why, as in BuildOutput; undefined for a site that is not files alone.
   */
  output(files: FileTree, pkg: NodePackage): { output: SiteOutput; rule: string } | undefined;
  env?(pkg: NodePackage): NodeBuild["env"];
  /** Its page reads the path itself. */
  isSinglePage?: boolean;
  /** The fallback of CaddySite. */
  hashed?: string;
}

/** Node 17 and later refuse what webpack 4 makes names of files with. */
const WEBPACK_4 = { NODE_OPTIONS: "--openssl-legacy-provider" };

function majorOf(pkg: NodePackage, name: string): number {
  return Number(/\d+/.exec(pkg.dependencies[name] ?? pkg.devDependencies[name] ?? "")?.[0] ?? Number.NaN);
}

const TOOLS: readonly SiteTool[] = [
  {
    title: "Create React App",
    package: "react-scripts",
    command: "react-scripts build",
    output: (_files, { scripts }) => {
      const [, value = "build"] = /\bBUILD_PATH=["']?([\w./-]+)/.exec(scripts.build ?? "") ?? [];
      const rule = "Create React App writes `build`, or the folder that BUILD_PATH in its build script names";
      return { output: folderOf({ kind: "literal", value }) ?? "build", rule };
    },
    env: (pkg) => ({
      // It takes warnings for mistakes otherwise.
      CI: "false",
      // `homepage` is often the address of another host, in a folder of it.
      ...(pkg.homepage !== undefined && { PUBLIC_URL: "/" }),
      ...(majorOf(pkg, "react-scripts") < 5 && WEBPACK_4),
    }),
    isSinglePage: true,
    hashed: "static",
  },
  {
    title: "Angular",
    package: "@angular/cli",
    command: "ng build",
    output: (files) => {
      const build = angularBuild(files);
      const output =
        build === undefined || build.hasServer ? undefined : folderOf({ kind: "literal", value: build.output });
      return output === undefined ? undefined : { output, rule: "Angular writes the folder that angular.json names" };
    },
    env: () => ({ NG_CLI_ANALYTICS: "false" }),
    isSinglePage: true,
    hashed: "media",
  },
  {
    title: "Vue CLI",
    package: "@vue/cli-service",
    command: "vue-cli-service build",
    output: (files) => {
      const config = readNodeConfig(configFile(files, "vue.config")?.text);
      return {
        output: outputOf(config.setting(["outputDir"]), "dist"),
        rule: folderRule("Vue CLI", "outputDir", "dist"),
      };
    },
    env: (pkg) => (majorOf(pkg, "@vue/cli-service") < 5 ? WEBPACK_4 : undefined),
    isSinglePage: true,
  },
  {
    title: "Docusaurus",
    package: "@docusaurus/core",
    command: "docusaurus build",
    output: () => ({ output: "build", rule: "Docusaurus writes `build`" }),
    hashed: "assets",
  },
  {
    title: "Eleventy",
    package: "@11ty/eleventy",
    command: "eleventy",
    // Its configuration is a program.
    output: () => ({ output: ["_site", "dist", "build", "public"], rule: "Eleventy writes `_site`" }),
  },
];

/** Sites that a tool makes; each is a static site to the API. */
export const SITE_TOOLS: readonly Framework[] = TOOLS.map((tool) => ({
  name: staticSite.name,
  recognisedBy: `a package.json with \`${tool.package}\` in its dependencies`,
  ignoresProcfile: FILES_ARE_SERVED,
  recognise: (files) => {
    const pkg = readPackage(files);
    const sign = pkg && dependencySign(pkg, tool.package);
    const isSite = sign !== undefined && !isServer(files, pkg!) && tool.output(files, pkg!) !== undefined;
    return isSite ? `${sign}, for ${tool.title}` : undefined;
  },
  plan: (files, input) => {
    const app = readNodeApp(files, input);
    const { command, isSinglePage = false, hashed } = tool;
    const env = tool.env?.(app.pkg);
    return planBuiltSite(app, {
      command,
      ...tool.output(files, app.pkg)!,
      ...(env && { env }),
      ...(isSinglePage && { fallback: "/index.html" }),
      ...(hashed !== undefined && { hashed }),
    });
  },
}));

/** Whether the app needs a server: its start command does more than serve its files, or Vite builds it. */
function isServer(files: FileTree, pkg: NodePackage): boolean {
  const { start } = pkg.scripts;
  const isOwn = start !== undefined && !isDevelopmentServer(start) && !servesFiles(start);
  const isOfVite = dependencySign(pkg, "vite") !== undefined && files.list().includes("index.html");
  return isOwn || isOfVite || hasProcfileStart(files, pkg);
}
