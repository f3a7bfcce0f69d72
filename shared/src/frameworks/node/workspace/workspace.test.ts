import { describe, expect, it } from "vitest";
import { SvcError } from "../../../errors.ts";
import type { PlanInput } from "../../framework.ts";
import { findWorkspace } from "./workspace.ts";
import { lastStage, LOCK, plan, type Files } from "../../sample-repositories.ts";
import { treeOf } from "../../repository/tree-of.ts";

const json = (value: object) => JSON.stringify(value);

/** Two apps, `ui` that both use, `core` that `ui` uses, and `old` that nobody does. */
const WORKSPACE: Files = {
  "package.json": json({ workspaces: ["apps/*", "packages/*", "!packages/old"] }),
  ...LOCK,
  "apps/web/package.json": json({
    name: "web",
    scripts: { build: "vite build" },
    dependencies: { "@acme/ui": "*" },
    devDependencies: { vite: "7" },
  }),
  "apps/web/index.html": "",
  "apps/api/package.json": json({ name: "api", scripts: { start: "node a.js" }, dependencies: { "@acme/ui": "*" } }),
  "packages/ui/package.json": json({
    name: "@acme/ui",
    scripts: { build: "tsc" },
    dependencies: { "@acme/core": "*" },
  }),
  "packages/core/package.json": json({
    name: "@acme/core",
    scripts: { build: "tsc" },
    devDependencies: { "@acme/ui": "*" },
  }),
  "packages/old/package.json": json({ name: "old" }),
};

const withTop = (more: object, files: Files = {}): Files => ({
  ...WORKSPACE,
  "package.json": json({ ...JSON.parse(WORKSPACE["package.json"]!), ...more }),
  ...files,
});

function planned(files: Files, root: string, input: Partial<PlanInput> = {}) {
  const made = plan(files, { root, ...input });
  return { ...made, text: "text" in made.dockerfile ? made.dockerfile.text : "" };
}

const WORKDIR_WEB = "WORKDIR /app/apps/web";

describe("an app of a workspace", () => {
  it("has the workspace's top as its build's context", () => {
    expect(planned(WORKSPACE, "apps/web")).toMatchObject({ framework: "vite", context: "" });
    const below = Object.fromEntries(Object.entries(WORKSPACE).map(([path, text]) => [`js/${path}`, text]));
    expect(planned(below, "js/apps/web")).toMatchObject({ framework: "vite", context: "js" });
  });

  it("installs from the top's lock file, before any source is there", () => {
    const { text } = planned(WORKSPACE, "apps/web");
    const [before] = text.split("COPY . .");
    expect(before).toContain("COPY package.json package-lock.json ./");
    for (const folder of ["apps/web", "apps/api", "packages/ui", "packages/core"]) {
      expect(before).toContain(`COPY ${folder}/package.json ./${folder}/`);
    }
    expect(before).not.toContain("packages/old");
    expect(before).toMatch(/RUN .* npm ci /);
  });

  it("builds what it depends on in order, each where it lies, then itself", () => {
    const { text } = planned(WORKSPACE, "apps/web");
    const built = ["packages/core", "packages/ui", "apps/web"].map((folder) => `cd /app/${folder} && npm run build`);
    expect(text).toContain(`COPY . .\n${WORKDIR_WEB}\nRUN ${built.join(" && ")}\n`);
    expect(text).toContain("COPY --from=build /app/apps/web/dist /srv");
  });

  it("is started in its folder, with the packages that it runs with and without the other app", () => {
    const { text } = planned(WORKSPACE, "apps/api");
    expect(text).toContain("npm ci --no-audit --no-fund --no-update-notifier --omit=dev --workspace apps/api");
    expect(text).toMatch(/tar -C \/app .*--exclude=\.\/apps\/web .*-C \/out/);
    expect(text).not.toMatch(/--exclude=\S*packages/);
    const copies = ["COPY --from=production /app ./", "COPY --from=build /out ./", "WORKDIR /app/apps/api"];
    expect(lastStage(text)).toContain(copies.join("\n"));
  });

  it("needs no installation for a build that there is none of", () => {
    const files = { ...WORKSPACE, "apps/api/package.json": json({ name: "api", scripts: { start: "node a.js" } }) };
    expect(planned(files, "apps/api").text.match(/npm ci/g)).toHaveLength(1);
  });

  it("takes the build of the spec file in place of its own, after those of what it depends on", () => {
    const { text } = planned(WORKSPACE, "apps/web", { build: "make" });
    expect(text).toMatch(
      /RUN cd \/app\/packages\/core .*packages\/ui && npm run build\nRUN \["\/bin\/sh","-c","make"\]/,
    );
    expect(text).not.toContain("cd /app/apps/web");
  });

  it.each([
    ["pnpm", { packageManager: "pnpm@10.1.0" }, {}, "--prod --filter '{./apps/api}...'"],
    ["yarn", { packageManager: "yarn@4.1.0" }, {}, "yarn workspaces focus --production api"],
    ["yarn", { packageManager: "yarn@1.22.0" }, {}, "--production &&"],
    ["bun", { packageManager: "bun@1.2.0" }, {}, "--production --filter ./apps/api"],
  ])("is installed by itself with %s", (manager, top, files, command) => {
    const { text } = planned(withTop(top, files), "apps/api");
    expect(text).toContain(command);
    expect(text).toContain(`${manager} run build`);
  });

  it("lets yarn 1, whose cache does not bear two of them, install its stages one after the other", () => {
    const mounts = (packageManager: string) =>
      planned(withTop({ packageManager }), "apps/api").text.match(/--mount=type=cache,id=\S*-yarn,\S+/g);
    expect(mounts("yarn@1.22.0")).toEqual([1, 2].map(() => expect.stringMatching(/,sharing=locked$/)));
    expect(mounts("yarn@4.1.0")?.join()).not.toContain("locked");
  });

  it("is found by pnpm's own list of packages", () => {
    const files = withTop(
      { workspaces: undefined, packageManager: "pnpm@10.1.0" },
      { "pnpm-workspace.yaml": "packages:\n  - 'apps/*'\n", "pnpm-lock.yaml": "" },
    );
    expect(planned(files, "apps/api")).toMatchObject({ context: "" });
    expect(planned(files, "apps/api").text).toContain("COPY package.json pnpm-lock.yaml pnpm-workspace.yaml ./");
  });

  it("leaves the order to Turborepo or Nx where the workspace has one", () => {
    const turbo = withTop({ devDependencies: { turbo: "2" } }, { "turbo.json": "{}" });
    expect(planned(turbo, "apps/web").text).toContain("RUN cd /app && turbo run build --filter=web...\n");
    const nx = withTop({ devDependencies: { nx: "21" } }, { "nx.json": "{}" });
    expect(planned(nx, "apps/web").text).toContain("RUN cd /app && NX_DAEMON=false nx build web\n");
    const named = { ...nx, "apps/web/project.json": '{"name": "shop"}' };
    expect(planned(named, "apps/web").text).toContain("nx build shop\n");
    expect(planned(withTop({}, { "turbo.json": "{}" }), "apps/web").text).not.toContain("turbo");
  });

  it("runs the framework's own command where it has no build script", () => {
    const web = { name: "web", devDependencies: { vite: "7" } };
    const { text } = planned({ ...WORKSPACE, "apps/web/package.json": json(web) }, "apps/web");
    expect(text).toContain(`${WORKDIR_WEB}\nRUN vite build\n`);
  });

  it("comes with all sources before its installation where a script of a package needs them", () => {
    const files = { ...WORKSPACE, "packages/old/package.json": json({ scripts: { postinstall: "node x.js" } }) };
    expect(planned(files, "apps/api").text).toContain("COPY apps/api/package.json");
    const scripted = {
      ...WORKSPACE,
      "packages/ui/package.json": json({ name: "@acme/ui", scripts: { postinstall: "tsc" } }),
    };
    expect(planned(scripted, "apps/api").text).toMatch(/COPY \. \.\nRUN .*npm ci/);
  });

  it("is given Node as its package.json asks for it, else as the workspace's does", () => {
    expect(planned(withTop({ engines: { node: "20" } }), "apps/web").notes[0]).toContain("Node 20");
    const own = { name: "api", scripts: { start: "node a.js" }, engines: { node: "24" } };
    const files = withTop({ engines: { node: "20" } }, { "apps/api/package.json": json(own) });
    expect(planned(files, "apps/api").text).toContain("FROM node:24-slim");
  });

  it("keeps development dependencies where the start needs one of the workspace", () => {
    const api = { name: "api", scripts: { start: "tsx a.ts" } };
    const files = withTop({ devDependencies: { tsx: "4" } }, { "apps/api/package.json": json(api) });
    const { text, notes } = planned(files, "apps/api");
    expect(text).not.toContain("--omit=dev");
    expect(notes.join("\n")).toContain("`tsx`");
    expect(lastStage(text)).toContain("ENV PATH=/app/apps/api/node_modules/.bin:/app/node_modules/.bin:$PATH");
  });

  it("of Next.js starts with its dependencies, and keeps its cache in its folder", () => {
    const next = { name: "web", scripts: { build: "next build", start: "next start" }, dependencies: { next: "15" } };
    const files = { ...WORKSPACE, "apps/web/package.json": json(next), "apps/web/app/page.tsx": "" };
    const { text } = planned(files, "apps/web");
    expect(text).toContain("target=/app/apps/web/.next/cache");
    expect(lastStage(text)).toContain('CMD ["next","start"]');
  });
});

describe("a pnpm-workspace.yaml that was made to be slow", () => {
  it.each([
    ["has sixty thousand names", Array.from({ length: 60_000 }, (_, i) => `k${i}:`).join("\n")],
    ["is longer than any person's", `${"# \n".repeat(1_000_000)}packages: [apps/*]`],
    ["is nested deeply", `packages: ${"[".repeat(60_000)}`],
  ])("is read at once, and makes no workspace: %s", (_name, yaml) => {
    const files = { ...WORKSPACE, "package.json": "{}", "pnpm-workspace.yaml": yaml };
    const started = performance.now();
    expect(findWorkspace(treeOf(files), "apps/web")).toBeUndefined();
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

describe("a folder that is no package of a workspace", () => {
  it.each([
    ["lies beside it", "packages/old"],
    ["has no package.json", "apps"],
    ["is the top", ""],
  ])("when it %s", (_, root) => {
    expect(findWorkspace(treeOf(WORKSPACE), root)).toBeUndefined();
  });

  it("is built alone, from its own lock file", () => {
    const files = { ...WORKSPACE, "packages/old/package.json": json({ scripts: { start: "node a.js" } }) };
    const made = planned({ ...files, "packages/old/yarn.lock": "" }, "packages/old");
    expect(made.context).toBe("packages/old");
    expect(made.text).toContain("COPY package.json yarn.lock ./");
  });

  it("names a package.json of the workspace that can't be read", () => {
    const files = { ...WORKSPACE, "packages/ui/package.json": "{" };
    expect(() => planned(files, "apps/web")).toThrow(SvcError);
    expect(() => planned(files, "apps/web")).toThrow("packages/ui/package.json is not valid JSON");
  });
});

it("names and folders of a workspace reach no Dockerfile and no shell as more than words", () => {
  const api = { name: "a\nUSER root", scripts: { start: "node a.js", build: "x" } };
  const files = withTop(
    { packageManager: "yarn@4.1.0", workspaces: ["*/*"], devDependencies: { turbo: "2", nx: "21" } },
    { "turbo.json": "{}", "apps/api/package.json": json(api), "$(touch x)/b c/package.json": "{}" },
  );
  const { text } = planned(files, "apps/api");
  expect(text).not.toContain("USER root");
  expect(text).not.toContain("touch");
  const nx = withTop(
    { devDependencies: { nx: "21" } },
    { "nx.json": "{}", "apps/web/project.json": '{"name": "a; b"}' },
  );
  expect(planned(nx, "apps/web").text).toContain("nx build web\n");
});
