import { cmdInstruction } from "../../spec/start-command.ts";
import { buildEnvInstructions } from "../dockerfile/build-env.ts";
import { BUILD_FOLDER } from "../javascript/computed-path.ts";
import { hasInstallScripts, installsFromSources, type NodeApp, type Start } from "./node-app.ts";
import { REGISTRY_ARG } from "./project/package-manager.ts";
import { cacheMount, runInstruction } from "../dockerfile/run-instruction.ts";
import { collectApp, copyMemberManifests, workspaceBuild } from "./workspace/workspace-build.ts";

/** The additions of a framework to the build of its apps. */
export interface NodeBuild {
  /** Is set while the app is built. */
  env?: Readonly<Record<string, string>>;
  /** The build command where neither the user nor a build script gives one. */
  command?: string;
  /** A folder of the app, and the name of the cache mount that keeps it from build to build. */
  cache?: { folder: string; name: string };
  /** The command after the build that completes its result; a line of a shell. */
  finish?: string;
}

/** Programs that are installed with the app are called by their names. */
function binPath({ folder, input }: NodeApp): string {
  const folders = input.workspace === undefined ? [folder] : [folder, BUILD_FOLDER];
  return `ENV PATH=${folders.map((one) => `${one}/node_modules/.bin:`).join("")}$PATH`;
}

/** From here on commands run in the app's folder, which is another than the workspace's. */
function enterFolder({ folder, input }: NodeApp): string[] {
  return input.workspace === undefined ? [] : [`WORKDIR ${folder}`];
}

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
    binPath(app),
    ...(env.length === 0 ? [] : [`ENV ${env.join(" ")}`]),
    ...(installsFromSources(app) ? [] : ["COPY . ."]),
    ...enterFolder(app),
    ...buildEnvInstructions(input.buildEnvKeys),
    ...buildInstruction(app, build),
    ...(build.finish === undefined ? [] : [`RUN ${build.finish}`]),
  ];
}

function buildInstruction(app: NodeApp, { command, cache }: NodeBuild): string[] {
  const { input, pkg, manager, folder } = app;
  const mount = cache === undefined ? "" : cacheMount(input.appId, cache.name, `${folder}/${cache.folder}`);
  const run = (line: string) => (mount === "" ? `RUN ${line}` : `RUN ${mount} ${line}`);
  const inWorkspace = input.workspace && workspaceBuild(app, input.workspace);
  const own = pkg.scripts.build === undefined ? command : input.workspace === undefined ? manager.runBuild : undefined;
  if (input.build !== undefined)
    return [...(inWorkspace ? [run(inWorkspace)] : []), runInstruction(input.build, mount)];
  return [inWorkspace, own].flatMap((line) => (line === undefined ? [] : [run(line)]));
}

/** Final stages of an app that runs from its folder, with what it needs of its dependencies. */
export function serverStages(app: NodeApp, start: Start, build: NodeBuild, port: number): string[] {
  const needsDevelopment = start.program !== undefined && isDevelopmentProgram(app, start.program);
  const { workspace } = app.input;
  const final = (copies: readonly string[]): string[] => finalStage(app, start, port, copies);
  if (installsFromSources(app) || generatesIntoDependencies(app)) {
    // Dependencies of the other packages of a workspace stay.
    const prune = workspace ? [] : [pruneRun(app, needsDevelopment)];
    return [...buildStages(app, build), ...prune, "", ...final(["COPY --from=build /app ./"])];
  }
  const isBuilt = buildInstruction(app, build).length > 0;
  if (workspace) {
    const sources = isBuilt
      ? buildStages(app, build)
      : [...toolsStage(app), "", ...stage("tools", "build"), "COPY . ."];
    const { installPackage, install } = app.manager;
    const { folder, pkg } = workspace.app;
    const command = needsDevelopment || pkg.name === undefined ? install : installPackage({ folder, name: pkg.name });
    return [
      ...sources,
      collectApp(workspace),
      "",
      ...stage("tools", "production"),
      ...copyManifests(app),
      installRun(app, `${command} && ${FINISH}`),
      "",
      ...final(["COPY --from=production /app ./", "COPY --from=build /out ./"]),
    ];
  }
  const copyDependencies = "COPY --from=production /app/node_modules ./node_modules";
  if (!isBuilt && !hasInstallScripts(app)) {
    const command = needsDevelopment ? app.manager.install : app.manager.installProduction;
    const install = [...copyManifests(app), installRun(app, `${command} && ${FINISH}`)];
    const stages = [...toolsStage(app), "", ...stage("tools", "production"), ...install, ""];
    return [...stages, ...final([copyDependencies, "COPY . ."])];
  }
  // The stage depends on the dependencies alone: a change of the sources leaves this stage as it is.
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

/** True when the program that starts the app is a development dependency, such as tsx. */
export function isDevelopmentProgram({ pkg, input: { workspace } }: NodeApp, program: string): boolean {
  const name = PACKAGES_OF_PROGRAMS.get(program) ?? program;
  const owners = workspace === undefined ? [pkg] : [pkg, workspace.pkg];
  const owner = owners.find((one) => one.dependencies[name] !== undefined || one.devDependencies[name] !== undefined);
  return owner !== undefined && owner.dependencies[name] === undefined;
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

function copyManifests({ manager, input: { workspace } }: NodeApp): string[] {
  const files = manager.manifests.filter((path) => !path.endsWith("/"));
  const folders = manager.manifests.filter((path) => path.endsWith("/"));
  return [
    `COPY ${files.join(" ")} ./`,
    ...folders.map((folder) => `COPY ${folder.slice(0, -1)} ./${folder.slice(0, -1)}`),
    ...(workspace === undefined ? [] : copyMemberManifests(workspace)),
  ];
}

function installRun({ input, manager }: NodeApp, command: string): string {
  return `RUN ${cacheMount(input.appId, manager.name, manager.cache, manager.cacheSharing)} ${command}`;
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
    ...(start.program === "node" ? [] : [binPath(app)]),
    "WORKDIR /app",
    ...copyManager(app, start),
    ...copies,
    ...enterFolder(app),
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
