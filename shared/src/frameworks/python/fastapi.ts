import { SvcError } from "../../errors.ts";
import type { Framework } from "../framework.ts";
import { planPython } from "./python-dockerfile.ts";
import { findEntry, microframeworkSign, type PythonEntry } from "./python-entry.ts";
import { requirePythonProject } from "./python-project.ts";
import { shellWord } from "../dockerfile/run-instruction.ts";

/** An app of FastAPI, served by Uvicorn. */
export const fastapi: Framework = {
  name: "fastapi",
  recognisedBy: "`fastapi` in requirements.txt or pyproject.toml",
  recognise: (files) => microframeworkSign(files, "fastapi"),
  plan: (files, input) => {
    const project = requirePythonProject(files);
    const entry = findEntry(files, "FastAPI");
    if (!entry && !input.start) throw noEntry();
    return planPython(files, input, {
      project,
      framework: "fastapi",
      server: "uvicorn",
      start: { form: "shell", line: entry ? serve(entry) : "" },
      build: undefined,
      folder: ".",
      importedFrom: entry?.importedFrom ?? ".",
      notes: [],
    });
  },
};

/** Uvicorn takes its port from its arguments alone. Requests come through the platform's proxy and no other way. */
function serve({ module, name, isFactory }: PythonEntry): string {
  const factory = isFactory ? "--factory " : "";
  const app = shellWord(`${module}:${name}`);
  return `exec uvicorn ${factory}${app} --host 0.0.0.0 --port "$PORT" --proxy-headers --forwarded-allow-ips '*'`;
}

function noEntry(): SvcError {
  return new SvcError(
    "framework_unknown",
    "No file makes a FastAPI app. Looked in main.py, app.py, the other files at the root and one folder below, and the " +
      "packages under src, for `app = FastAPI()` and for a function such as `create_app()`. " +
      "Add one, or say how it is started with `start` in svc.yaml, such as `uvicorn package.module:app --host 0.0.0.0`.",
  );
}
