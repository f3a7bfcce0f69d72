import { SvcError } from "../errors.ts";
import type { BuildPlan, PlanInput } from "./framework.ts";
import { planBuild } from "./plan-build.ts";
import { treeOf } from "./repository/tree-of.ts";

/** Nothing is known beside the files. */
export const INPUT: PlanInput = {
  appId: "0190f0a0-0000-7000-8000-000000000001",
  port: undefined,
  buildEnvKeys: [],
  build: undefined,
  start: undefined,
};

/** Path to text. */
export type Files = Record<string, string>;

interface Manifest {
  on?: string[];
  dev?: string[];
  scripts?: Record<string, string>;
  [field: string]: unknown;
}

/** A package.json that depends on these packages. */
export function pkg({ on = [], dev = [], ...more }: Manifest): Files {
  const versions = (names: string[]) => Object.fromEntries(names.map((name) => [name, "1.0.0"]));
  return { "package.json": JSON.stringify({ dependencies: versions(on), devDependencies: versions(dev), ...more }) };
}

/** How the files are built, as `framework` when it is named. */
export function plan(files: Files, input: Partial<PlanInput> = {}, framework?: string): BuildPlan {
  return planBuild(treeOf(files), framework, { ...INPUT, ...input });
}

/** The Dockerfile that is generated; nothing for a repository that brings its own. */
export function text(files: Files, input: Partial<PlanInput> = {}): string {
  const { dockerfile } = plan(files, input);
  return "text" in dockerfile ? dockerfile.text : "";
}

/** Why the repository cannot be built. */
export function refusal(files: Files): string {
  try {
    plan(files);
  } catch (error) {
    if (error instanceof SvcError && error.code === "framework_unknown") return error.message;
    throw error;
  }
  throw new Error("did not refuse");
}

export const LOCK = { "package-lock.json": "{}" };
export const NEXT = {
  ...pkg({ on: ["next", "react"], scripts: { build: "next build", start: "next start" } }),
  ...LOCK,
};
export const NEXT_APP = { ...NEXT, "app/page.tsx": "" };
export const ROUTER = {
  ...pkg({
    on: ["react-router", "@react-router/node", "@react-router/serve"],
    dev: ["@react-router/dev", "vite"],
    scripts: { build: "react-router build", start: "react-router-serve ./build/server/index.js" },
  }),
  ...LOCK,
  "vite.config.ts": "",
  "app/root.tsx": "",
};
export const NUXT = {
  ...pkg({ on: ["nuxt"], scripts: { build: "nuxt build", postinstall: "nuxt prepare" } }),
  ...LOCK,
};
export const ASTRO = {
  ...pkg({ on: ["astro"], scripts: { build: "astro build" } }),
  ...LOCK,
  "src/pages/index.astro": "",
};
export const VITE = { ...pkg({ dev: ["vite"], scripts: { build: "vite build" } }), ...LOCK, "index.html": "" };
export const EXPRESS = { ...pkg({ on: ["express"], scripts: { start: "node index.js" } }), ...LOCK, "index.js": "" };
export const FASTIFY = {
  ...pkg({ on: ["fastify", "fastify-cli"], scripts: { start: "fastify start app.js" } }),
  ...LOCK,
};

/** Instructions of the last stage. */
export function lastStage(dockerfile: string): string {
  return dockerfile.split(/^FROM /m).at(-1)!;
}
