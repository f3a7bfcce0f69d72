import { SvcError } from "../../errors.ts";
import type { Framework } from "../framework.ts";
import { gunicorn } from "./gunicorn.ts";
import { planPython } from "./python-dockerfile.ts";
import { findEntry, microframeworkSign } from "./python-entry.ts";
import { requirePythonProject } from "./python-project.ts";

/** An app of Flask, served by Gunicorn. */
export const flask: Framework = {
  name: "flask",
  recognisedBy: "`flask` in requirements.txt or pyproject.toml",
  recognise: (files) => microframeworkSign(files, "flask"),
  plan: (files, input) => {
    const project = requirePythonProject(files);
    const entry = findEntry(files, "Flask");
    if (!entry && !input.start) throw noEntry();
    const { module, name, isFactory, importedFrom } = entry ?? {
      module: "",
      name: "",
      isFactory: false,
      importedFrom: ".",
    };
    return planPython(files, input, {
      project,
      framework: "flask",
      server: "gunicorn",
      start: gunicorn(`${module}:${name}${isFactory ? "()" : ""}`),
      build: undefined,
      folder: ".",
      importedFrom,
      notes: [],
    });
  },
};

function noEntry(): SvcError {
  return new SvcError(
    "framework_unknown",
    "No file makes a Flask app. Looked in app.py, main.py, wsgi.py, the other files at the root and one folder below, and " +
      "the packages under src, for `app = Flask(…)` and for a function such as `create_app()`. " +
      "Add one, or say how it is started with `start` in svc.yaml, such as `gunicorn package.module:app`.",
  );
}
