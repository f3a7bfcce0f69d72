import { SvcError } from "../errors.ts";
import { requirePublicKeys } from "./build-env.ts";
import { appsInFolders, type FolderApp } from "./monorepo.ts";
import type { BuildPlan, FileTree, Framework, PlanInput } from "./framework.ts";
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
  return { framework: chosen.name, reason, ...chosen.plan(files, input) };
}

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
  const signs = FRAMEWORKS.map((one) => `${one.recognisedBy} (${one.name})`).join(", ");
  throw new SvcError(
    "framework_unknown",
    `The repository is none that can be recognised. Looked for at its root: ${signs}. ` +
      "Add one of these, for example a Dockerfile, or name the framework with `framework`.",
  );
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
