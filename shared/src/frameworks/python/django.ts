import { posix } from "node:path";
import { SvcError } from "../../errors.ts";
import type { FileTree } from "../repository/file-tree.ts";
import type { Framework } from "../framework.ts";
import { gunicorn } from "./gunicorn.ts";
import { planPython } from "./python-dockerfile.ts";
import { requirePythonProject, type PythonProject } from "./python-project.ts";
import { shellWord } from "../dockerfile/run-instruction.ts";
import type { StartCommand } from "../../spec/start-command.ts";

/** A project of Django, served by Gunicorn, or by Uvicorn when it is asynchronous. */
export const django: Framework = {
  name: "django",
  recognisedBy: "a manage.py that names Django's settings",
  recognise: (files) => {
    const project = findProject(files);
    return project && `${posix.join(project.folder, "manage.py")} with the settings ${project.settingsModule}`;
  },
  plan: (files, input) => {
    const django = findProject(files);
    if (!django) throw noProject();
    const project = requirePythonProject(files);
    const settings = settingsText(files, django);
    const server = serverOf(files, django, settings, project);
    if (!server && !input.start) throw noApplication(django);
    return planPython(files, input, {
      project,
      framework: "django",
      server: server?.package ?? "gunicorn",
      start: server?.start ?? gunicorn(""),
      build: collectStatic(settings),
      folder: django.folder,
      importedFrom: ".",
      notes: notes(settings, project),
    });
  },
};

/** This is more than anybody's settings; what is beyond is not looked at. */
const SETTINGS_FILES_MAX = 20;
const TEXT_CHARACTERS_MAX = 64 * 1024;
/** A person's repository has some ten at its root. */
const FOLDERS_MAX = 200;

function readStart(files: FileTree, path: string): string | undefined {
  return files.read(path)?.slice(0, TEXT_CHARACTERS_MAX);
}

interface DjangoProject {
  /** Where manage.py lies. */
  folder: string;
  settingsModule: string;
}

/** manage.py at the root, or in the only folder that has one. */
function findProject(files: FileTree): DjangoProject | undefined {
  const near = files.list().filter((name) => /^[\w.-]+\/$/.test(name));
  const below = near.slice(0, FOLDERS_MAX).filter((name) => files.list(name).includes("manage.py"));
  const folders = files.list().includes("manage.py") ? ["."] : below.length === 1 ? below : [];
  for (const folder of folders) {
    const text = readStart(files, posix.join(folder, "manage.py")) ?? "";
    const settingsModule = /DJANGO_SETTINGS_MODULE["'\s,:=\])]+["']([\w.]+)["']/.exec(text)?.[1];
    if (settingsModule !== undefined) return { folder: folder.replace(/\/$/, ""), settingsModule };
  }
  return undefined;
}

/** Reads the text of the settings module, or of all files of its package: a setting in any of them holds. */
function settingsText(files: FileTree, { folder, settingsModule }: DjangoProject): string {
  const path = posix.join(folder, settingsModule.replaceAll(".", "/"));
  const parent = posix.dirname(path);
  const isPackage = posix.basename(parent) === "settings";
  const module = readStart(files, `${path}.py`);
  if (module !== undefined && !isPackage) return module;
  const directory = isPackage ? parent : path;
  const inside = files.list(directory).filter((name) => name.endsWith(".py"));
  return inside
    .slice(0, SETTINGS_FILES_MAX)
    .map((name) => readStart(files, posix.join(directory, name)) ?? "")
    .join("\n");
}

interface Server {
  package: string;
  start: StartCommand;
}

function serverOf(
  files: FileTree,
  { folder, settingsModule }: DjangoProject,
  settings: string,
  { dependencies }: PythonProject,
): Server | undefined {
  const root = settingsModule.split(".")[0]!;
  const application = (kind: "asgi" | "wsgi"): string | undefined => {
    const set = new RegExp(`^[ \\t]*${kind.toUpperCase()}_APPLICATION\\s*=\\s*["']([\\w.]+)\\.(\\w+)["']`, "m").exec(
      settings,
    );
    if (set) return `${set[1]}:${set[2]}`;
    return files.read(posix.join(folder, root, `${kind}.py`)) === undefined ? undefined : `${root}.${kind}:application`;
  };
  const isAsynchronous = ["channels", "daphne", "uvicorn"].some((name) => dependencies.has(name));
  const asgi = application("asgi");
  const wsgi = application("wsgi");
  if (asgi !== undefined && (isAsynchronous || wsgi === undefined)) return uvicorn(asgi);
  return wsgi === undefined ? undefined : { package: "gunicorn", start: gunicorn(wsgi) };
}

function uvicorn(app: string): Server {
  const line = `exec uvicorn ${shellWord(app)} --host 0.0.0.0 --port "$PORT" --lifespan off --forwarded-allow-ips '*'`;
  return { package: "uvicorn", start: { form: "shell", line } };
}

/** A read of the environment, with the variable's name; two searches for one word within a name would take its square. */
const VARIABLE_READ = /(?:environ(?:\.get)?|getenv|env|config)(?:\.str)?[[(]\s{0,200}["'](\w{1,255})["']/g;

/** Settings that take their key from the environment get a throw-away one for the build, which no later stage sees. */
function collectStatic(settings: string): string | undefined {
  if (!/^[ \t]*STATIC_ROOT\b/m.test(settings)) return undefined;
  const read = [...settings.matchAll(VARIABLE_READ)].find(([, name]) => name!.includes("SECRET"));
  return `${read ? `${read[1]}=used-while-building-only ` : ""}python manage.py collectstatic --noinput`;
}

function notes(settings: string, { dependencies }: PythonProject): string[] {
  const result: string[] = [];
  if (!/^[ \t]*STATIC_ROOT\b/m.test(settings)) {
    result.push("STATIC_ROOT is not set, so no static files are collected. Set it, and add whitenoise to serve them.");
  } else if (!dependencies.has("whitenoise")) {
    result.push("Static files are collected, but whitenoise is not among the requirements to serve them.");
  }
  if (/^[ \t]*ALLOWED_HOSTS\s*=\s*\[\s*\]/m.test(settings)) {
    result.push("ALLOWED_HOSTS is empty, so Django answers on names of this machine alone. Add the app's host name.");
  }
  return result;
}

function noProject(): SvcError {
  return new SvcError(
    "framework_unknown",
    "The repository has no manage.py that sets DJANGO_SETTINGS_MODULE, neither at its root nor in exactly one folder. " +
      "Add the one that `django-admin startproject` makes.",
  );
}

function noApplication({ settingsModule }: DjangoProject): SvcError {
  return new SvcError(
    "framework_unknown",
    `Neither WSGI_APPLICATION nor ASGI_APPLICATION is set in ${settingsModule}, and there is no wsgi.py or asgi.py beside ` +
      "it. Add one, or say how it is started with `start` in svc.yaml.",
  );
}
