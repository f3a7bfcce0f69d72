import { planBuiltSite } from "./built-site.ts";
import type { FileTree } from "../repository/file-tree.ts";
import type { Framework } from "../framework.ts";
import { readNodeApp } from "./node-app.ts";
import type { Setting } from "../repository/found-setting.ts";
import { readNodeConfig } from "./project/node-config.ts";
import { planServer } from "./node-dockerfile.ts";
import { configFile, dependencySign, readPackage } from "./project/node-package.ts";

const SERVER_BUNDLE = "./build/server/index.js";

/** React Router as a framework (7 and later), and Remix 2, which it grew out of. */
export const remix: Framework = {
  name: "remix",
  recognisedBy: "a package.json with `@react-router/dev` or `@remix-run/dev` in its dependencies",
  recognise: (files) => {
    const pkg = readPackage(files);
    return pkg && (dependencySign(pkg, "@react-router/dev") ?? dependencySign(pkg, "@remix-run/dev"));
  },
  plan: (files, input) => {
    const app = readNodeApp(files, input);
    const isRouter = dependencySign(app.pkg, "@react-router/dev") !== undefined;
    const command = isRouter ? "react-router build" : hasVite(files) ? "remix vite:build" : "remix build";
    if (isBrowserOnly(files, isRouter)) {
      const rule = "with `ssr: false` React Router writes its files to `build/client`";
      return planBuiltSite(app, { command, output: "build/client", rule, fallback: "/index.html", hashed: "assets" });
    }
    const program = isRouter ? "react-router-serve" : "remix-serve";
    return planServer(app, { command, start: [program, hasVite(files) ? SERVER_BUNDLE : "./build/index.js"] });
  },
};

function hasVite(files: FileTree): boolean {
  return configFile(files, "vite.config") !== undefined;
}

/** `ssr: false`, in the framework's own configuration or, with Remix 2, in that of its plugin. */
function isBrowserOnly(files: FileTree, isRouter: boolean): boolean {
  const ssr = isRouter ? routerSsr(files) : pluginSsr(files);
  return ssr.kind === "literal" && ssr.value === false;
}

function routerSsr(files: FileTree): Setting {
  return readNodeConfig(configFile(files, "react-router.config")?.text).setting(["ssr"]);
}

function pluginSsr(files: FileTree): Setting {
  return readNodeConfig(configFile(files, "vite.config")?.text).pluginOption("@remix-run/dev", "ssr");
}
