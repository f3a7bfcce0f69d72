import type { FileTree } from "../../repository/file-tree.ts";
import type { NodePackage } from "./node-package.ts";
import { shellWord } from "../../dockerfile/run-instruction.ts";

/** How a package manager is used in a build. Commands are lines of a shell; nothing of the repository is in them. */
export interface PackageManager {
  name: "npm" | "pnpm" | "yarn" | "bun";
  /** The name in the step's output: "pnpm 10". */
  label: string;
  /** Files that the installation reads and that are there; folders with a `/` at the end. */
  manifests: readonly string[];
  hasLock: boolean;
  /** Makes the manager itself available; undefined when the base image has it. */
  setUp: string | undefined;
  env: Readonly<Record<string, string>>;
  /** Downloads are kept here from build to build. */
  cache: string;
  /** `locked` where the manager must not fill it from two stages at the same time. */
  cacheSharing?: "locked";
  install: string;
  /** Installs what runs in production. Not for apps with install scripts of their own, which may need the rest. */
  installProduction: string;
  /** Installs what runs of one package of a workspace in production, with the packages that it depends on. */
  installPackage(member: { folder: string; name: string }): string;
  /** Takes away what only the build needs, without running the app's own scripts. */
  prune: string;
  /** Runs the script `build`. */
  runBuild: string;
}

interface Choice {
  manager: PackageManager;
  notes: readonly string[];
}

const LOCKS = {
  npm: ["package-lock.json", "npm-shrinkwrap.json"],
  pnpm: ["pnpm-lock.yaml"],
  yarn: ["yarn.lock"],
  bun: ["bun.lock", "bun.lockb"],
} as const;

type Name = keyof typeof LOCKS;
const NAMES = Object.keys(LOCKS) as Name[];

/** The one that `packageManager` names, else the one whose lock file is there, else npm. */
export function choosePackageManager(files: FileTree, pkg: NodePackage): Choice {
  const there = new Set(files.list());
  const locked = NAMES.filter((name) => LOCKS[name].some((file) => there.has(file)));
  const wanted = wantedManager(pkg);
  const name = wanted?.name ?? locked[0] ?? "npm";
  const hasLock = locked.includes(name);
  const manager = MANAGERS[name]({ files, there, version: wanted?.version, hasLock });
  return { manager, notes: notes(name, locked, wanted !== undefined) };
}

function notes(name: Name, locked: readonly Name[], isNamed: boolean): string[] {
  if (!locked.includes(name)) {
    const others = locked.length === 0 ? "" : ` (the lock file that is there is not one of ${name})`;
    return [
      `There is no ${LOCKS[name][0]}${others}, so each build may get other versions of the dependencies. Commit one.`,
    ];
  }
  if (locked.length === 1 || isNamed) return [];
  return [
    `There are lock files of ${locked.join(" and ")}; ${name} is used. Remove the others, or say which with ` +
      "`packageManager` in package.json.",
  ];
}

/** `packageManager` as Node's own corepack reads it: `pnpm@10.4.1+sha512.…`. Other words are not looked at. */
function wantedManager(pkg: NodePackage): { name: Name; version: string } | undefined {
  const match = /^(npm|pnpm|yarn|bun)@(\d{1,4}\.\d{1,4}\.\d{1,4}(?:-[0-9A-Za-z.-]{1,40})?)(?:\+|$)/.exec(
    pkg.packageManager ?? "",
  );
  return match ? { name: match[1] as Name, version: match[2]! } : undefined;
}

interface Sources {
  files: FileTree;
  there: ReadonlySet<string>;
  version: string | undefined;
  hasLock: boolean;
}

const MANAGERS: Readonly<Record<Name, (sources: Sources) => PackageManager>> = { npm, pnpm, yarn, bun };

/** Is only what concerns this app. */
const QUIET = "--no-audit --no-fund --no-update-notifier";

/** A manager is itself a package: fetched from the registry that the app's dependencies come from. */
function fetchManager(packageAndVersion: string): string {
  return `npm install --global ${QUIET} ${packageAndVersion}`;
}

/** Is set by the builder where the host's npm uses another registry than the public one; unset, it has no effect. */
export const REGISTRY_ARG = "NPM_CONFIG_REGISTRY";

/** For managers that call the setting by another name. */
function withRegistry(variable: string, command: string): string {
  return `env ${"${"}${REGISTRY_ARG}:+${variable}=$${REGISTRY_ARG}} ${command}`;
}

function present(there: ReadonlySet<string>, names: readonly string[]): string[] {
  return ["package.json", ...names].filter((name) => there.has(name));
}

/** The npm of the base image, whatever `packageManager` says: it reads every lock file. */
function npm({ there, hasLock }: Sources): PackageManager {
  const install = `npm ${hasLock ? "ci" : "install --no-package-lock"} ${QUIET}`;
  return {
    name: "npm",
    label: "npm",
    manifests: present(there, [...LOCKS.npm, ".npmrc"]),
    hasLock,
    setUp: undefined,
    // Is for the build script too: its output is the user's.
    env: { NPM_CONFIG_UPDATE_NOTIFIER: "false" },
    cache: "/root/.npm",
    install,
    installProduction: `${install} --omit=dev`,
    installPackage: ({ folder }) => `${install} --omit=dev --workspace ${shellWord(folder)} --include-workspace-root`,
    prune: `npm prune --omit=dev --ignore-scripts ${QUIET}`,
    runBuild: "npm run build",
  };
}

/** Lock files of pnpm 9 to 11 say 9.0; 10 reads them all and runs on every Node that is offered. */
function pnpmMajor(files: FileTree): string {
  const lockVersion = /^lockfileVersion:\s*'?(\d+)/m.exec(files.read("pnpm-lock.yaml")?.slice(0, 200) ?? "")?.[1];
  return lockVersion === "6" ? "8" : lockVersion === "5" ? "7" : "10";
}

const PNPM_STORE = "/root/.pnpm-store";

function pnpm({ files, there, version, hasLock }: Sources): PackageManager {
  const wanted = version ?? pnpmMajor(files);
  const frozen = hasLock ? "--frozen-lockfile" : "--no-frozen-lockfile";
  const install = withRegistry("pnpm_config_registry", `pnpm install --store-dir ${PNPM_STORE} ${frozen}`);
  return {
    name: "pnpm",
    label: `pnpm ${wanted}`,
    manifests: present(there, [...LOCKS.pnpm, "pnpm-workspace.yaml", ".pnpmfile.cjs", ".npmrc", "patches/"]),
    hasLock,
    setUp: fetchManager(`pnpm@${wanted}`),
    // Without a terminal it asks nothing only where CI is set; and it is the version that is wanted already.
    env: { CI: "true", pnpm_config_pm_on_fail: "ignore" },
    cache: PNPM_STORE,
    install,
    installProduction: `${install} --prod`,
    installPackage: ({ folder }) => `${install} --prod --filter ${shellWord(`{./${folder}}...`)}`,
    prune: `${install} --prod --ignore-scripts`,
    runBuild: "pnpm run build",
  };
}

function yarn(sources: Sources): PackageManager {
  const { files, there, version } = sources;
  const lock = files.read("yarn.lock") ?? "";
  const isClassic =
    version === undefined ? !there.has(".yarnrc.yml") && !/^__metadata:/m.test(lock) : /^[01]\./.test(version);
  return isClassic ? yarnClassic(sources) : yarnBerry(sources, lock);
}

function yarnClassic({ there, version = "1.22.22", hasLock }: Sources): PackageManager {
  const install = `yarn install --non-interactive --no-progress ${hasLock ? "--frozen-lockfile" : "--no-lockfile"}`;
  return {
    name: "yarn",
    label: `yarn ${version}`,
    manifests: present(there, [...LOCKS.yarn, ".yarnrc", ".npmrc"]),
    hasLock,
    setUp: fetchManager(`yarn@${version}`),
    env: { YARN_CACHE_FOLDER: "/root/.yarn-cache" },
    cache: "/root/.yarn-cache",
    // It reads files there that another yarn has written half of.
    cacheSharing: "locked",
    install,
    installProduction: `${install} --production`,
    // It can't tell packages apart.
    installPackage: () => `${install} --production`,
    prune: `${install} --production --ignore-scripts --prefer-offline`,
    runBuild: "yarn run build",
  };
}

const BERRY_REGISTRY = "YARN_NPM_REGISTRY_SERVER";

function yarnBerry({ there, version, hasLock }: Sources, lock: string): PackageManager {
  const lockVersion = Number(/^__metadata:\r?\n +version: (\d+)/m.exec(lock)?.[1] ?? 8);
  const wanted = version ?? (lockVersion < 7 ? "3" : "4");
  const install = withRegistry(BERRY_REGISTRY, `yarn install ${hasLock ? "--immutable" : "--no-immutable"}`);
  // Yarn 2 and 3 have it as a plugin only: their apps keep what the build needs.
  const isFrom4 = Number.parseInt(wanted, 10) >= 4;
  const production = isFrom4 ? withRegistry(BERRY_REGISTRY, "yarn workspaces focus --production") : install;
  // Downloads are kept with the repository before 4, and would be in the image; a committed one is used.
  const keepsCache = isFrom4 || [...there].some((path) => path.startsWith(".yarn/cache/"));
  return {
    name: "yarn",
    label: `yarn ${wanted}`,
    manifests: present(there, [...LOCKS.yarn, ".yarnrc.yml", ".npmrc", ".yarn/"]),
    hasLock,
    setUp: fetchManager(`@yarnpkg/cli-dist@${wanted}`),
    // Plug'n'Play would need a loader at every start; the installed packages are the same.
    env: {
      YARN_NODE_LINKER: "node-modules",
      YARN_GLOBAL_FOLDER: "/root/.yarn-cache",
      YARN_ENABLE_TELEMETRY: "false",
      ...(!keepsCache && { YARN_ENABLE_GLOBAL_CACHE: "true" }),
    },
    cache: "/root/.yarn-cache",
    install,
    installProduction: production,
    installPackage: ({ name }) => (isFrom4 ? `${production} ${shellWord(name)}` : install),
    prune: production,
    runBuild: "yarn run build",
  };
}

function bun({ there, version = "1", hasLock }: Sources): PackageManager {
  const install = withRegistry(
    "BUN_CONFIG_REGISTRY",
    `bun install --no-progress ${hasLock ? "--frozen-lockfile" : "--no-save"}`,
  );
  return {
    name: "bun",
    label: `bun ${version}`,
    manifests: present(there, [...LOCKS.bun, "bunfig.toml", ".npmrc"]),
    hasLock,
    setUp: fetchManager(`bun@${version}`),
    env: { BUN_INSTALL_CACHE_DIR: "/root/.bun-cache" },
    cache: "/root/.bun-cache",
    install,
    installProduction: `${install} --production`,
    installPackage: ({ folder }) => `${install} --production --filter ${shellWord(`./${folder}`)}`,
    // It leaves what is there as it is.
    prune: `rm -rf node_modules && ${install} --production --ignore-scripts`,
    runBuild: "bun run build",
  };
}
