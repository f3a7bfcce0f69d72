import { cmdInstruction } from "../../spec/start-command.ts";
import { planBuiltSite } from "./built-site.ts";
import { DEFAULT_PORT } from "../../rules/frameworks.ts";
import type { Framework } from "../framework.ts";
import { readNodeApp, type NodeApp } from "./node-app.ts";
import { generated, planServer, type Plan } from "./node-dockerfile.ts";
import { configFile, dependencySign, readPackage } from "./project/node-package.ts";
import { buildStages, type NodeBuild } from "./node-stages.ts";

const BUILD: NodeBuild = { env: { NUXT_TELEMETRY_DISABLED: "1" }, command: "nuxt build" };

const GENERATED = "a build script with `nuxt generate` writes its files to `.output/public`";
const BUILT = "a build script without `nuxt generate` writes its server to `.output`";

/** Nuxt: its build is a server with everything in it, or files where the build script generates them. */
export const nuxt: Framework = {
  name: "nuxt",
  recognisedBy: "a package.json with `nuxt` in its dependencies",
  recognise: (files) => {
    const pkg = readPackage(files);
    const sign = pkg && (dependencySign(pkg, "nuxt") ?? dependencySign(pkg, "nuxt-nightly"));
    // Modules for Nuxt have it among their development dependencies.
    const isApp = pkg?.dependencies["nuxt"] !== undefined || configFile(files, "nuxt.config") !== undefined;
    return isApp ? sign : undefined;
  },
  plan: (files, input) => {
    const app = readNodeApp(files, input);
    if (input.start !== undefined) return planServer(app, BUILD);
    const command = input.build ?? app.pkg.scripts.build ?? "";
    const isGenerated = /\bnux[ti] (?:generate|build --prerender)\b/.test(command);
    return isGenerated
      ? planBuiltSite(app, {
          ...BUILD,
          output: ".output/public",
          rule: GENERATED,
          hashed: "_nuxt",
          fallback: "/200.html",
        })
      : planNitro(app);
  },
};

function planNitro(app: NodeApp): Plan {
  const port = app.input.port ?? DEFAULT_PORT;
  const lines = [
    ...buildStages(app, { ...BUILD, env: { ...BUILD.env, NITRO_PRESET: "node_server" } }),
    "",
    `FROM ${app.base}`,
    `ENV NODE_ENV=production HOST=0.0.0.0 PORT=${port}`,
    "WORKDIR /app",
    `COPY --from=build --chown=node:node ${app.folder}/.output ./.output`,
    "USER node",
    `EXPOSE ${port}`,
    cmdInstruction({ form: "exec", words: ["node", ".output/server/index.mjs"] }),
  ];
  return { ...generated(app, lines, port), outputs: [{ path: `${app.folder}/.output`, rule: BUILT }] };
}
