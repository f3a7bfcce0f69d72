import { describe, expect, it } from "vitest";
import { requirePackage } from "./node-package.ts";
import { choosePackageManager } from "./package-manager.ts";
import { treeOf } from "../../repository/tree-of.ts";

function choice(files: Record<string, string>, pkg: object = {}) {
  const tree = treeOf({ "package.json": JSON.stringify(pkg), ...files });
  return choosePackageManager(tree, requirePackage(tree));
}

const BERRY_LOCK = "# generated\n\n__metadata:\n  version: 8\n  cacheKey: 10c0\n";

describe("the package manager", () => {
  it.each([
    ["npm", { "package-lock.json": "{}" }, {}],
    ["npm", { "npm-shrinkwrap.json": "{}" }, {}],
    ["npm", {}, {}],
    ["pnpm 10", { "pnpm-lock.yaml": "lockfileVersion: '9.0'\n" }, {}],
    ["pnpm 8", { "pnpm-lock.yaml": "lockfileVersion: '6.0'\n" }, {}],
    ["pnpm 7", { "pnpm-lock.yaml": "lockfileVersion: 5.4\n" }, {}],
    ["pnpm 9.15.4", { "pnpm-lock.yaml": "" }, { packageManager: "pnpm@9.15.4+sha512.abc" }],
    ["yarn 1.22.22", { "yarn.lock": "# yarn lockfile v1\n" }, {}],
    ["yarn 4", { "yarn.lock": BERRY_LOCK }, {}],
    ["yarn 3", { "yarn.lock": BERRY_LOCK.replace("8", "6") }, {}],
    ["yarn 4", { "yarn.lock": "", ".yarnrc.yml": "nodeLinker: node-modules\n" }, {}],
    ["yarn 4.5.0", { "yarn.lock": BERRY_LOCK }, { packageManager: "yarn@4.5.0" }],
    ["yarn 1.22.19", { "yarn.lock": "" }, { packageManager: "yarn@1.22.19" }],
    ["bun 1", { "bun.lock": "{}" }, {}],
    ["bun 1", { "bun.lockb": "" }, {}],
    ["bun 1.2.3", { "bun.lock": "{}" }, { packageManager: "bun@1.2.3" }],
    ["npm", { "package-lock.json": "{}" }, { packageManager: "npm@99.0.0" }],
    ["npm", { "package-lock.json": "{}" }, { packageManager: "pnpm; rm -rf /@1.0.0" }],
  ])("is %s by %j and %j", (label, files, pkg) => {
    const { manager, notes } = choice(files as Record<string, string>, pkg);
    expect(manager.label).toBe(label);
    expect(notes.length).toBe(Object.keys(files).length === 0 ? 1 : 0);
  });

  it("says which of several lock files it goes by", () => {
    const { manager, notes } = choice({ "yarn.lock": "", "package-lock.json": "{}" });
    expect(manager.name).toBe("npm");
    expect(notes.join()).toMatch(/lock files of npm and yarn; npm is used.*`packageManager`/);
    expect(choice({ "yarn.lock": "", "package-lock.json": "{}" }, { packageManager: "yarn@1.22.0" }).notes).toEqual([]);
  });

  it("goes by its own lock file alone", () => {
    const { manager, notes } = choice({ "package-lock.json": "{}" }, { packageManager: "pnpm@10.0.0" });
    expect(manager).toMatchObject({ name: "pnpm", hasLock: false });
    expect(notes.join()).toMatch(/no pnpm-lock\.yaml \(the lock file that is there is not one of pnpm\)/);
  });

  it("reads its settings and plugins before the sources are there", () => {
    const files = { "yarn.lock": BERRY_LOCK, ".yarnrc.yml": "", ".yarn/releases/yarn.cjs": "", "index.js": "" };
    expect(choice(files).manager.manifests).toEqual(["package.json", "yarn.lock", ".yarnrc.yml", ".yarn/"]);
  });

  it("fetches with the registry that it is given, under each manager's own name for it", () => {
    const install = (file: string, text = "") => choice({ [file]: text }).manager.install;
    expect(install("yarn.lock", BERRY_LOCK)).toMatch(
      /^env \$\{NPM_CONFIG_REGISTRY:\+YARN_NPM_REGISTRY_SERVER=\$NPM_CONFIG_REGISTRY\} yarn install --immutable$/,
    );
    expect(install("pnpm-lock.yaml")).toContain("pnpm_config_registry=$NPM_CONFIG_REGISTRY");
    expect(install("bun.lock")).toContain("BUN_CONFIG_REGISTRY=$NPM_CONFIG_REGISTRY");
  });

  it("asks no Yarn before 4 for what only its plugins can do", () => {
    const of = (version: string) => choice({ "yarn.lock": BERRY_LOCK }, { packageManager: `yarn@${version}` }).manager;
    for (const version of ["2.4.3", "3.8.7"]) {
      const { install, installProduction, prune, env } = of(version);
      expect([installProduction, prune]).toEqual([install, install]);
      expect(env["YARN_ENABLE_GLOBAL_CACHE"]).toBe("true");
    }
    expect(of("4.5.0").prune).toContain("workspaces focus --production");
  });
});
