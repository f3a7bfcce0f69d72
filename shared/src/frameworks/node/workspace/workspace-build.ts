import { BUILD_FOLDER } from "../../javascript/computed-path.ts";
import type { NodeApp } from "../node-app.ts";
import { copyInstruction, shellWord } from "../../dockerfile/run-instruction.ts";
import { taskRunner, type Workspace } from "./workspace.ts";

/** Each is an instruction, of which an image can have some hundred; in a larger workspace the sources come first. */
const MANIFESTS_MAX = 60;

/** Copies the package.json of each package, so that the dependencies are installed anew only where one of them changes. */
export function copyMemberManifests({ members }: Workspace): string[] {
  if (members.length > MANIFESTS_MAX) return ["COPY . ."];
  return members.map(({ folder }) => copyInstruction([`${folder}/package.json`], `./${folder}/`));
}

/**
 * A line of a shell that builds the packages which the app depends on, and the app where it has a build script: by the
 * workspace's task runner, else one after the other. Undefined when there is nothing to build.
 */
export function workspaceBuild({ input, manager }: NodeApp, workspace: Workspace): string | undefined {
  const { app, dependencies } = workspace;
  const runner = input.build === undefined && app.pkg.name !== undefined ? taskRunner(workspace) : undefined;
  if (runner !== undefined) return runnerLine(workspace, app.pkg.name!)[runner];
  const own = input.build === undefined ? [app] : [];
  const built = [...dependencies, ...own].filter(({ pkg }) => pkg.scripts.build !== undefined);
  const lines = built.map(({ folder }) => `cd ${BUILD_FOLDER}/${shellWord(folder)} && ${manager.runBuild}`);
  return lines.length === 0 ? undefined : lines.join(" && ");
}

function runnerLine(workspace: Workspace, name: string): Record<"turbo" | "nx", string> {
  return {
    turbo: `cd ${BUILD_FOLDER} && turbo run build --filter=${shellWord(`${name}...`)}`,
    // Nobody asks its daemon again.
    nx: `cd ${BUILD_FOLDER} && NX_DAEMON=false nx build ${shellWord(nxProject(workspace, name))}`,
  };
}

/** A project.json may give a name of its own. */
function nxProject({ files, app }: Workspace, name: string): string {
  const text = files.read(`${app.folder}/project.json`);
  const [, own] = /"name"\s*:\s*"([\w.@:/-]+)"/.exec(text ?? "") ?? [];
  return own ?? name;
}

/** Takes to /out what the app consists of: everything but the installed packages, and what is another app's. */
export function collectApp({ members, app, dependencies }: Workspace): string {
  const others = members.filter((member) => member !== app && !dependencies.includes(member));
  // A package may lie in the folder of another.
  const isNeeded = (folder: string) => [app, ...dependencies].some((one) => one.folder.startsWith(`${folder}/`));
  const excluded = others
    .filter(({ folder }) => !isNeeded(folder))
    .map(({ folder }) => `--exclude=./${shellWord(folder)}`);
  const words = ["--exclude=node_modules", "--exclude=.turbo", "--anchored", ...excluded];
  return `RUN mkdir /out && tar -C ${BUILD_FOLDER} ${words.join(" ")} -cf - . | tar -C /out -xf -`;
}
