import { SvcError } from "../errors.ts";
import { requirePublicKeys } from "./build-env.ts";
import { appsInFolders, type FolderApp } from "./monorepo.ts";
import type { BuildPlan, FileTree, Framework, PlanInput } from "./framework.ts";
import { parseStartCommand } from "../spec/start-command.ts";
import { procfileNotes, readProcfile } from "./procfile.ts";
import { whatWasSeen } from "./what-was-seen.ts";
import { FRAMEWORKS } from "./table.ts";

/**
 * Decides how the files become an image. A framework that is named wins over every sign in the files, a Dockerfile
 * included.
 *
 * @param framework what the user named; undefined to detect
 * @throws SvcError framework_unknown, invalid_request (a build variable without a public prefix)
 */
export function planBuild(files: FileTree, framework: string | undefined, input: PlanInput): BuildPlan {
  requirePublicKeys(input.buildEnvKeys);
  const { chosen, reason } = framework === undefined ? detect(files) : named(framework);
  const procfile = readProcfile(files);
  if (input.start !== undefined || procfile.web === undefined || STARTED_BY_THEMSELVES.has(chosen.name)) {
    return { framework: chosen.name, reason, ...chosen.plan(files, input) };
  }
  const plan = chosen.plan(files, { ...input, start: parseStartCommand(procfile.web) });
  return { framework: chosen.name, reason, ...plan, notes: [...plan.notes, ...procfileNotes(procfile)] };
}

/** A Dockerfile says what is started; a site's image has nothing but Caddy to start. */
const STARTED_BY_THEMSELVES: ReadonlySet<string> = new Set(["dockerfile", "static"]);

interface Choice {
  chosen: Framework;
  reason: string;
}

function named(name: string): Choice {
  const chosen = FRAMEWORKS.find((one) => one.name === name);
  if (chosen) return { chosen, reason: "named by `framework`, in the app's settings or its spec file" };
  const supported = FRAMEWORKS.map((one) => one.name).join(", ");
  throw new SvcError("framework_unknown", `${JSON.stringify(name)} cannot be built yet. Choose one of: ${supported}.`);
}

function detect(files: FileTree): Choice {
  for (const chosen of FRAMEWORKS) {
    const reason = chosen.recognise(files);
    if (reason !== undefined) return { chosen, reason };
  }
  const apps = appsInFolders(files, FRAMEWORKS);
  if (apps.length > 0) throw severalApps(apps);
  throw new SvcError(
    "framework_unknown",
    `The repository can't be recognised: ${whatWasSeen(files)}. ` +
      "Add a Dockerfile, a start script or a Procfile, or name the `framework`; `svc plan` lists what is looked for.",
  );
}

/** What is looked for at a repository's root, a line each. */
export function signsOfFrameworks(): string[] {
  return FRAMEWORKS.map((one) => `${one.name}: ${one.recognisedBy}`);
}

function severalApps(apps: readonly FolderApp[]): SvcError {
  const found = apps.slice(0, APPS_NAMED_MAX).map(({ folder, framework }) => `${folder} (${framework})`);
  return new SvcError(
    "framework_unknown",
    `No app was found at the repository's root, which is what is built; looked for were a Dockerfile and the signs of ` +
      `${FRAMEWORKS.length - 1} frameworks. There are some in folders: ${found.join(", ")}. Move the app to the root, ` +
      "or add a Dockerfile there that builds the one you want.",
  );
}

/** As many as a person compares. */
const APPS_NAMED_MAX = 10;
