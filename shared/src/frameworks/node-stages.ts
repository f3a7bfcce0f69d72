import { cmdInstruction } from "../spec/start-command.ts";
import { buildEnvInstructions } from "./build-env.ts";
import { hasInstallScripts, installsFromSources, type NodeApp, type Start } from "./node-app.ts";
import { REGISTRY_ARG } from "./package-manager.ts";
import { cacheMount, runInstruction } from "./run-instruction.ts";

/** What a framework adds to the build of its apps. */
export interface NodeBuild {
  /** Set while the app is built. */
  env?: Readonly<Record<string, string>>;
  /** What builds it where neither the user nor a build script says so. */
  command?: string;
  /** A folder of the app, and the name of the cache mount that keeps it from build to build. */
  cache?: { folder: string; name: string };
  /** What makes the build's result complete, after it; a line of a shell. */
  finish?: string;
}

/** Programs that are installed with the app are called by their names. */
const BIN_PATH = "ENV PATH=/app/node_modules/.bin:$PATH";

/** Stage `build`: everything is installed, the sources are there, and they are built. */
export function buildStages(app: NodeApp, build: NodeBuild = {}): string[] {
  const { input } = app;
  const env = Object.entries(build.env ?? {}).map(([name, value]) => `${name}=${value}`);
  return [
    ...toolsStage(app),
    "",
    ...dependenciesStage(app),
    "",
    ...stage("dependencies", "build"),
    BIN_PATH,
    ...(env.length === 0 ? [] : [`ENV ${env.join(" ")}`]),
    ...(installsFromSources(app) ? [] : ["COPY . ."]),
    ...buildEnvInstructions(input.buildEnvKeys),
    ...buildInstruction(app, build),
    ...(build.finish === undefined ? [] : [`RUN ${build.finish}`]),
  ];
}

function buildInstruction({ input, pkg, manager }: NodeApp, { command, cache }: NodeBuild): string[] {
  const mount = cache === undefined ? "" : cacheMount(input.appId, cache.name, cache.folder);
  if (input.build !== undefined) return [runInstruction(input.build, mount)];
  const line = pkg.scripts.build === undefined ? command : manager.runBuild;
  return line === undefined ? [] : [mount === "" ? `RUN ${line}` : `RUN ${mount} ${line}`];
}

/** Final stages of an app that runs from its folder, with what it needs of its dependencies. */
export function serverStages(app: NodeApp, start: Start, build: NodeBuild, port: number): string[] {
  const needsDevelopment = start.program !== undefined && isDevelopmentProgram(app, start.program);
  const isBuilt = app.input.build !== undefined || app.pkg.scripts.build !== undefined || build.command !== undefined;
  const final = (copies: readonly string[]): string[] => finalStage(app, start, port, copies);
  if (installsFromSources(app) || generatesIntoDependencies(app)) {
    return [...buildStages(app, build), pruneRun(app, needsDevelopment), "", ...final(["COPY --from=build /app ./"])];
  }
  const copyDependencies = "COPY --from=production /app/node_modules ./node_modules";
  if (!isBuilt && !hasInstallScripts(app)) {
    const command = needsDevelopment ? app.manager.install : app.manager.installProduction;
    const install = [...copyManifests(app), installRun(app, `${command} && ${FINISH}`)];
    const stages = [...toolsStage(app), "", ...stage("tools", "production"), ...install, ""];
    return [...stages, ...final([copyDependencies, "COPY . ."])];
  }
  // From the dependencies alone: a change of the sources leaves this stage as it is.
  return [
    ...buildStages(app, build),
    "RUN mkdir /out && find . -mindepth 1 -maxdepth 1 ! -name node_modules -exec cp -a -t /out '{}' +",
    "",
    ...stage("dependencies", "production"),
    pruneRun(app, needsDevelopment),
    "",
    ...final([copyDependencies, "COPY --from=build /out ./"]),
  ];
}

/** Prisma's client is written into the installed packages when the app is built. */
function generatesIntoDependencies({ pkg }: NodeApp): boolean {
  return pkg.dependencies["@prisma/client"] !== undefined;
}

/** What starts the app is itself a development dependency, such as tsx. */
export function isDevelopmentProgram({ pkg }: NodeApp, program: string): boolean {
  return PACKAGES_OF_PROGRAMS.get(program) === undefined
    ? pkg.devDependencies[program] !== undefined && pkg.dependencies[program] === undefined
    : pkg.devDependencies[PACKAGES_OF_PROGRAMS.get(program)!] !== undefined;
}

const PACKAGES_OF_PROGRAMS = new Map([
  ["react-router-serve", "@react-router/serve"],
  ["remix-serve", "@remix-run/serve"],
  ["fastify", "fastify-cli"],
  ["nest", "@nestjs/cli"],
]);

/** The argument is known from here to the end of the stage; older builders do not hand it on to the next. */
function stage(from: string, name: string): string[] {
  return [`FROM ${from} AS ${name}`, `ARG ${REGISTRY_ARG}`];
}

function toolsStage({ base, manager, input }: NodeApp): string[] {
  const env = Object.entries(manager.env).map(([name, value]) => `${name}=${value}`);
  const mount = cacheMount(input.appId, "npm", "/root/.npm");
  return [
    ...stage(base, "tools"),
    "WORKDIR /app",
    ...(manager.setUp === undefined ? [] : [`RUN ${mount} ${manager.setUp}`]),
    ...(env.length === 0 ? [] : [`ENV ${env.join(" ")}`]),
  ];
}

function dependenciesStage(app: NodeApp): string[] {
  const sources = installsFromSources(app) ? ["COPY . ."] : copyManifests(app);
  return [...stage("tools", "dependencies"), ...sources, installRun(app, app.manager.install)];
}

function copyManifests({ manager }: NodeApp): string[] {
  const files = manager.manifests.filter((path) => !path.endsWith("/"));
  const folders = manager.manifests.filter((path) => path.endsWith("/"));
  return [
    `COPY ${files.join(" ")} ./`,
    ...folders.map((folder) => `COPY ${folder.slice(0, -1)} ./${folder.slice(0, -1)}`),
  ];
}

function installRun({ input, manager }: NodeApp, command: string): string {
  return `RUN ${cacheMount(input.appId, manager.name, manager.cache)} ${command}`;
}

/** Leaves what the running app needs, in one instruction: each starts a container of its own. */
function pruneRun(app: NodeApp, needsDevelopment: boolean): string {
  return needsDevelopment ? `RUN ${FINISH}` : installRun(app, `${app.manager.prune} && ${FINISH}`);
}

/** The folder must exist to be copied; the managers' own records in it name the registry, which is nobody's business. */
const FINISH =
  "mkdir -p node_modules && " +
  "rm -f node_modules/.package-lock.json node_modules/.modules.yaml node_modules/.yarn-integrity";

function finalStage(app: NodeApp, start: Start, port: number, copies: readonly string[]): string[] {
  return [
    `FROM ${app.base}`,
    `ENV NODE_ENV=production HOST=0.0.0.0 PORT=${port}`,
    ...(start.program === "node" ? [] : [BIN_PATH]),
    "WORKDIR /app",
    ...copyManager(app, start),
    ...copies,
    "USER node",
    `EXPOSE ${port}`,
    cmdInstruction(start.command),
  ];
}

/** A start may be Bun's, and a line for a shell may call the package manager; the base image has neither. */
function copyManager({ manager }: NodeApp, { program }: Start): string[] {
  if (manager.setUp === undefined) return [];
  if (manager.name === "bun" && (program === undefined || program === "bun")) {
    return ["COPY --from=tools /usr/local/lib/node_modules/bun/bin/bun.exe /usr/local/bin/bun"];
  }
  return program === undefined || program === manager.name ? ["COPY --from=tools /usr/local/ /usr/local/"] : [];
}
