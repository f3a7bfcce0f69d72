import { SvcError } from "../errors.ts";
import { buildEnvInstructions } from "./build-env.ts";
import { DEFAULT_PORT, type BuildPlan, type FileTree, type PlanInput } from "./framework.ts";
import { readPackage, startCommand, type NodePackage } from "./node-package.ts";

/** The newest Node that the base images offer. */
const NODE_MAJOR = 22;
const BASE = `node:${NODE_MAJOR}-slim`;

/** Scripts that npm runs while it installs; they may need the sources, and development dependencies. */
const INSTALL_SCRIPTS = ["preinstall", "install", "postinstall", "prepare"];

/** An app that Node runs and npm installs: dependencies in a layer of their own, then the sources, as user `node`. */
export function planNode(files: FileTree, input: PlanInput): Omit<BuildPlan, "framework" | "reason"> {
  const pkg = readPackage(files);
  if (!pkg) throw new SvcError("framework_unknown", "The repository has no package.json at its root. Add one.");
  refuseOtherManagers(files);
  const port = input.port ?? DEFAULT_PORT;
  const stages = needsSourcesToInstall(pkg) ? builtStage(files, pkg, input) : installedStage(files, input);
  const lines = [...stages, "", ...finalStage(port, startCommand(files, pkg), needsSourcesToInstall(pkg))];
  return { dockerfile: { text: `${lines.join("\n")}\n` }, port, notes: notes(files, pkg) };
}

function needsSourcesToInstall(pkg: NodePackage): boolean {
  const hasLocalDependency = Object.values({ ...pkg.dependencies, ...pkg.devDependencies }).some((version) =>
    /^(?:file|link):/.test(version),
  );
  const scripts = ["build", ...INSTALL_SCRIPTS];
  return hasLocalDependency || pkg.workspaces !== undefined || scripts.some((name) => pkg.scripts[name] !== undefined);
}

/** Nothing to build: a change of the sources leaves the installed dependencies as they are. */
function installedStage(files: FileTree, input: PlanInput): string[] {
  const manifests = present(files, ["package.json", "package-lock.json", "npm-shrinkwrap.json", ".npmrc"]);
  return [
    `FROM ${BASE} AS app`,
    "WORKDIR /app",
    ...REGISTRY,
    `COPY ${manifests.join(" ")} ./`,
    npm(input, `${installCommand(files)} --omit=dev`, FINISH_INSTALL),
  ];
}

/** Built with everything, then rid of what only the build needs. */
function builtStage(files: FileTree, pkg: NodePackage, input: PlanInput): string[] {
  // The sources come before the installation only where its scripts, or packages inside the repository, need them.
  const { build, ...others } = pkg.scripts;
  const installsFromSources = needsSourcesToInstall({ ...pkg, scripts: others });
  const manifests = present(files, ["package.json", "package-lock.json", "npm-shrinkwrap.json", ".npmrc"]);
  const install = npm(input, installCommand(files));
  return [
    `FROM ${BASE} AS app`,
    "WORKDIR /app",
    ...REGISTRY,
    ...(installsFromSources ? ["COPY . .", install] : [`COPY ${manifests.join(" ")} ./`, install, "COPY . ."]),
    ...buildEnvInstructions(input.buildEnvKeys),
    ...(build === undefined ? [] : ["RUN npm run build"]),
    npm(input, `npm prune --omit=dev --ignore-scripts ${QUIET}`, FINISH_INSTALL),
  ];
}

function finalStage(port: number, command: readonly string[], isBuilt: boolean): string[] {
  return [
    `FROM ${BASE}`,
    `ENV NODE_ENV=production HOST=0.0.0.0 PORT=${port}`,
    "WORKDIR /app",
    ...(isBuilt ? ["COPY --from=app /app ./"] : ["COPY --from=app /app/node_modules ./node_modules", "COPY . ."]),
    "USER node",
    `EXPOSE ${port}`,
    `CMD ${JSON.stringify(command)}`,
  ];
}

/** Set by the builder where the host's npm uses another registry than the public one; unset, it has no effect. */
export const REGISTRY_ARG = "NPM_CONFIG_REGISTRY";
const REGISTRY = [`ARG ${REGISTRY_ARG}`];

/** The folder must exist to be copied; npm's own record in it names the registry, which is nobody's business. */
const FINISH_INSTALL = "mkdir -p node_modules && rm -f node_modules/.package-lock.json";

/** Only what concerns this app. */
const QUIET = "--no-audit --no-fund --no-update-notifier";

function npm(input: PlanInput, command: string, then?: string): string {
  const mount = `--mount=type=cache,id=${input.appId}-npm,target=/root/.npm`;
  return `RUN ${mount} ${[command, ...(then ? [then] : [])].join(" && ")}`;
}

function installCommand(files: FileTree): string {
  return `npm ${hasLock(files) ? "ci" : "install --no-package-lock"} ${QUIET}`;
}

function hasLock(files: FileTree): boolean {
  return present(files, ["package-lock.json", "npm-shrinkwrap.json"]).length > 0;
}

function present(files: FileTree, names: readonly string[]): string[] {
  const there = new Set(files.list());
  return names.filter((name) => there.has(name));
}

function refuseOtherManagers(files: FileTree): void {
  const [lock] = present(files, ["pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb"]);
  if (lock === undefined || hasLock(files)) return;
  throw new SvcError(
    "framework_unknown",
    `The repository has a ${lock}, and only npm's lock files can be used yet. ` +
      "Add a package-lock.json (`npm install --package-lock-only`), or a Dockerfile of your own.",
  );
}

function notes(files: FileTree, pkg: NodePackage): string[] {
  const wanted = pkg.engines?.node ?? files.read(".nvmrc")?.trim() ?? files.read(".node-version")?.trim();
  const result: string[] = [];
  if (!hasLock(files)) {
    result.push("There is no package-lock.json, so each build may get other versions of the dependencies. Commit one.");
  }
  if (wanted !== undefined && wanted !== "" && !allowsMajor(wanted, NODE_MAJOR)) {
    result.push(`The repository asks for Node ${wanted.slice(0, 50)}; it is built and run with Node ${NODE_MAJOR}.`);
  }
  return result;
}

/** A person's range has some 20; a longer one is not worth a note. */
const RANGE_CHARACTERS_MAX = 200;

/** Whether some version of the major may satisfy the range, as far as majors tell; unknown words count as any. */
export function allowsMajor(range: string, major: number): boolean {
  if (range.length > RANGE_CHARACTERS_MAX) return true;
  return range.split("||").some((alternative) => {
    const comparators = alternative
      .trim()
      .replaceAll(/\s+-\s+/g, " <=")
      .split(/\s+/)
      .filter(Boolean);
    const isHyphenRange = /\s-\s/.test(alternative.trim());
    return comparators.every((comparator, index) => {
      const match = /^(>=|<=|>|<|\^|~|=)?\s*v?(\d+)(?:\.(\d+))?/.exec(comparator);
      if (!match) return true;
      const [, written, digits, minor] = match;
      const operator = isHyphenRange && index === 0 ? ">=" : written;
      const wanted = Number(digits);
      if (operator === ">=") return major >= wanted;
      if (operator === ">") return minor === undefined ? major > wanted : major >= wanted;
      if (operator === "<=") return major <= wanted;
      if (operator === "<") return minor === undefined || Number(minor) === 0 ? major < wanted : major <= wanted;
      return major === wanted;
    });
  });
}
