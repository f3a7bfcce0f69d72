import { buildVariables } from "./build-variables.ts";
import { cmdInstruction } from "../../spec/start-command.ts";
import { folderRule, outputOf, planBuiltSite } from "./built-site.ts";
import type { FileTree } from "../repository/file-tree.ts";
import { DEFAULT_PORT } from "../../rules/frameworks.ts";
import type { Framework } from "../framework.ts";
import { isDevelopmentServer, readNodeApp, type NodeApp } from "./node-app.ts";
import { readNodeConfig, stringOf, type NodeConfig } from "./project/node-config.ts";
import { generated, planServer, type Plan } from "./node-dockerfile.ts";
import { configFile, dependencySign, hasFolder, readPackage } from "./project/node-package.ts";
import { buildStages, type NodeBuild } from "./node-stages.ts";

/** Next.js reads no other; a `next.config.cjs` is ignored. */
const CONFIG_ENDINGS = ["js", "mjs", "ts", "mts"];

const BUILD: NodeBuild = {
  env: { NEXT_TELEMETRY_DISABLED: "1" },
  command: "next build",
  cache: { folder: ".next/cache", name: "next" },
};

/** Next.js, as the server of its own that it makes with everything in it; a static export is served as files. */
export const nextjs: Framework = {
  name: "nextjs",
  recognisedBy: "a package.json with `next` in its dependencies",
  recognise: (files) => {
    const pkg = readPackage(files);
    const sign = pkg && dependencySign(pkg, "next");
    return sign !== undefined && hasPages(files) ? sign : undefined;
  },
  plan: (files, input) => {
    const app = readNodeApp(files, input);
    const text = configFile(files, "next.config", CONFIG_ENDINGS)?.text;
    const config = readNodeConfig(text);
    // It is often set on a condition, such as that the build is another host's.
    if (stringOf(readNodeConfig(text, buildVariables(app)).setting(["output"])) === "export") {
      const output = outputOf(config.setting(["distDir"]), "out");
      const rule = folderRule('Next.js with `output: "export"`', "distDir", "out");
      return planBuiltSite(app, { ...BUILD, output, rule, hashed: "_next/static" });
    }
    return isOrdinaryStart(app, config) ? planStandalone(app) : planWithDependencies(app);
  },
};

/** Components for others name Next.js too; an app has pages, or a configuration. */
function hasPages(files: FileTree): boolean {
  const folders = ["app", "pages", "src/app", "src/pages"];
  return configFile(files, "next.config") !== undefined || folders.some((folder) => hasFolder(files, folder));
}

/** Whether the app is started as every Next.js app is, so that the server that the build makes does the same. */
function isOrdinaryStart({ input, pkg }: NodeApp, config: NodeConfig): boolean {
  const distDir = config.setting(["distDir"]);
  if (distDir.kind === "other" || (distDir.kind === "literal" && distDir.value !== ".next")) return false;
  const start = (pkg.scripts.start?.trim() ?? "next start").replace(/^(?:cross-env )?NODE_ENV=production /, "");
  // Where the files of a workspace's package end up in that server depends on the version of Next.js.
  if (input.start !== undefined || input.workspace !== undefined) return false;
  return (
    isDevelopmentServer(start) || /^(?:next start|node (?:\.\/)?\.next\/standalone\/server\.js)\b[^&|;]*$/.test(start)
  );
}

/**
 * NEXT_PRIVATE_STANDALONE has the effect of `output: "standalone"` without a change of the user's configuration. It is
 * not documented: the deploy of the fixture shows that it still has it.
 */
function planStandalone(app: NodeApp): Plan {
  const port = app.input.port ?? DEFAULT_PORT;
  const env = { ...BUILD.env, NEXT_PRIVATE_STANDALONE: "true" };
  const lines = [
    ...buildStages(app, { ...BUILD, env, finish: "mkdir -p public" }),
    "",
    `FROM ${app.base}`,
    `ENV NODE_ENV=production NEXT_TELEMETRY_DISABLED=1 HOSTNAME=0.0.0.0 PORT=${port}`,
    "WORKDIR /app",
    // Pages that are made again at run time are written beside those of the build.
    "COPY --from=build --chown=node:node /app/.next/standalone ./",
    "COPY --from=build --chown=node:node /app/.next/static ./.next/static",
    "COPY --from=build --chown=node:node /app/public ./public",
    "USER node",
    `EXPOSE ${port}`,
    cmdInstruction({ form: "exec", words: ["node", "server.js"] }),
  ];
  const rule = "Next.js that is started with `next start` writes a server of its own below `.next`";
  const outputs = ["/app/.next/standalone", "/app/.next/static"].map((path) => ({ path, rule }));
  return { ...generated(app, lines, port), outputs };
}

/** For a server of the user's own, which the other form does not contain. */
function planWithDependencies(app: NodeApp): Plan {
  return planServer(app, { ...BUILD, start: ["next", "start"] });
}
