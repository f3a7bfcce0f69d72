import { APP_USER } from "../base-images.ts";
import { buildEnvInstructions } from "../dockerfile/build-env.ts";
import type { FileTree } from "../repository/file-tree.ts";
import type { BuildPlan, PlanInput } from "../framework.ts";
import { PYTHON_PORT } from "../../rules/frameworks.ts";
import { cmdInstruction, type StartCommand } from "../../spec/start-command.ts";
import type { PythonInstall, PythonProject } from "./python-project.ts";
import { requirementName } from "./python-requirements.ts";
import { choosePython } from "./python-version.ts";
import { cacheMount, copyInstruction, runInstruction, shellWord } from "../dockerfile/run-instruction.ts";
import { aptEnsure, aptInstall } from "../dockerfile/apt.ts";

/** The additions of a framework to an app that Python runs. */
export interface PythonApp {
  project: PythonProject;
  /** The framework's own package, which may be in an extra. */
  framework: string;
  /** The package that serves it, installed unless the repository names it. */
  server: string;
  start: StartCommand;
  /** The framework's own build command, for a shell; a user's replaces it. */
  build: string | undefined;
  /** Folder of the sources that commands run in; "." for the root. */
  folder: string;
  /** Folder of the sources that modules are imported from beside it. */
  importedFrom: string;
  notes: readonly string[];
}

/** Dependencies in an environment of their own, which is copied to where the app runs as a user without rights. */
export function planPython(files: FileTree, input: PlanInput, app: PythonApp): Omit<BuildPlan, "framework" | "reason"> {
  const port = input.port ?? PYTHON_PORT;
  const { image, notes } = choosePython(files, app.project.requiresPython);
  const build = input.build ?? app.build;
  const lines = [
    ...installStage(image, input, app),
    ...(build === undefined ? [] : buildInstructions(build, input, app)),
    "",
    `FROM ${image}`,
    ...libraryInstructions(app.project),
    `ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1 HOME=/tmp PORT=${port}`,
    ...pythonPath(app),
    // Apps keep files beside their sources: databases of SQLite, uploads.
    `RUN mkdir /app && chown ${APP_USER} /app`,
    `WORKDIR ${workdir(app)}`,
    "COPY --from=build /venv /venv",
    `COPY ${build === undefined ? "" : "--from=build "}--chown=${APP_USER} ${build === undefined ? "." : "/app"} /app`,
    `USER ${APP_USER}`,
    `EXPOSE ${port}`,
    cmdInstruction(input.start ?? app.start),
  ];
  return { dockerfile: { text: `${lines.join("\n")}\n` }, port, notes: [...notes, ...app.notes] };
}

function installStage(image: string, input: PlanInput, { project, framework, server }: PythonApp): string[] {
  const extra = project.dependencies.has(framework) ? undefined : project.extras.get(framework);
  const isNamed = project.dependencies.has(requirementName(server));
  return [
    `FROM ${image} AS build`,
    "ENV PATH=/venv/bin:$PATH PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore",
    // Without a pip of its own it is made ten times as fast; the image's pip installs into it.
    "RUN python -m venv --without-pip /venv",
    ...compilerInstructions(project),
    "WORKDIR /app",
    ...installInstructions(project.install, input, { extra, further: isNamed ? [] : [server] }),
  ];
}

const PIP = "pip --python /venv/bin/python install";

interface Wanted {
  extra: string | undefined;
  further: readonly string[];
}

function installInstructions(install: PythonInstall, { appId }: PlanInput, { extra, further }: Wanted): string[] {
  const pip = cacheMount(appId, "pip", "/root/.cache/pip");
  switch (install.by) {
    case "requirements": {
      const [main = "requirements.txt"] = install.files;
      const run = `RUN ${pip} ${words(PIP, "-r", main, ...further)}`;
      return install.needsSources ? ["COPY . .", run] : [...copyEach(install.files), run];
    }
    case "pyproject":
      return [
        runInstruction(
          words(PIP, ...install.requirements, ...((extra !== undefined && install.optional[extra]) || []), ...further),
          pip,
        ),
      ];
    case "uv":
      return [
        `RUN ${pip} pip install uv`,
        ...copyEach(install.files),
        "ENV UV_PROJECT_ENVIRONMENT=/venv UV_PYTHON_DOWNLOADS=never UV_LINK_MODE=copy",
        `RUN ${cacheMount(appId, "uv", "/root/.cache/uv")} uv sync --frozen --inexact --no-dev --no-install-workspace${extra === undefined ? "" : ` --extra ${shellWord(extra)}`}`,
        ...(further.length === 0 ? [] : [`RUN ${pip} ${words(PIP, ...further)}`]),
      ];
    case "poetry":
      return [
        `RUN ${pip} pip install poetry`,
        ...copyEach(install.files),
        // Poetry installs into the environment that it finds itself in.
        `RUN ${cacheMount(appId, "poetry", "/root/.cache/pypoetry")} VIRTUAL_ENV=/venv poetry install --only main --no-root --no-interaction${extra === undefined ? "" : ` --extras ${shellWord(extra)}`}`,
        ...(further.length === 0 ? [] : [`RUN ${pip} ${words(PIP, ...further)}`]),
      ];
  }
}

function words(command: string, ...further: readonly string[]): string {
  return [command, ...further.map(shellWord)].join(" ");
}

/** Copies files to their places in the repository, since they name one another. */
function copyEach(paths: readonly string[]): string[] {
  const folders = new Set(paths.map(folderOf));
  return [...folders].map((folder) => {
    const inside = paths.filter((path) => folderOf(path) === folder);
    return copyInstruction(inside, `./${folder}`);
  });
}

/** The folder with a `/` at the end; "" for the root. */
function folderOf(path: string): string {
  return path.replace(/[^/]*$/, "");
}

function buildInstructions(build: string, input: PlanInput, app: PythonApp): string[] {
  return [
    "COPY . .",
    ...pythonPath(app),
    ...buildEnvInstructions(input.buildEnvKeys),
    ...(app.folder === "." ? [] : [`WORKDIR ${workdir(app)}`]),
    runInstruction(build),
  ];
}

function pythonPath({ importedFrom }: PythonApp): string[] {
  return importedFrom === "." ? [] : [`ENV PYTHONPATH=/app/${importedFrom}`];
}

function workdir({ folder }: PythonApp): string {
  return folder === "." ? "/app" : `/app/${folder}`;
}

/** Debian packages that a library is compiled with, and those that it loads while it runs. */
interface Native {
  compiledWith: readonly string[];
  loads: readonly string[];
}

/** Libraries that are published as sources alone, or that load one of the system's. */
const NATIVE: Readonly<Record<string, Native>> = {
  psycopg: { compiledWith: [], loads: ["libpq5"] },
  psycopg2: { compiledWith: ["gcc", "libc6-dev", "libpq-dev"], loads: ["libpq5"] },
  mysqlclient: {
    compiledWith: ["gcc", "libc6-dev", "default-libmysqlclient-dev", "pkg-config"],
    loads: ["libmariadb3"],
  },
  uwsgi: { compiledWith: ["gcc", "libc6-dev"], loads: [] },
};

function natives({ dependencies }: PythonProject): Native[] {
  return Object.entries(NATIVE).flatMap(([name, native]) => (dependencies.has(name) ? [native] : []));
}

/** Is for the stage that installs: compilers, unless the image carries wheels, which are compiled. */
function compilerInstructions(project: PythonProject): string[] {
  const packages = new Set(natives(project).flatMap(({ compiledWith }) => compiledWith));
  return packages.size === 0 ? [] : [`RUN test -d /usr/local/share/wheels || { ${aptInstall([...packages])}; }`];
}

/** Is for the stage that runs: the system's libraries. */
function libraryInstructions(project: PythonProject): string[] {
  const packages = new Set(natives(project).flatMap(({ loads }) => loads));
  return packages.size === 0 ? [] : [`RUN ${aptEnsure([...packages])}`];
}
