import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { SvcError } from "@svc/shared/errors.ts";
import { MANIFEST_FILE } from "../../repositories/hosting/repository-folders.ts";
import { parseManifest, type Template } from "./template.ts";

/** deploy/templates, seen from a bundle in dist/ and from the source. */
const BUILT_IN = ["../deploy/templates", "../../../../deploy/templates"];

/**
 * The templates of a folder, one in each of its folders, by slug.
 * @param directory SVC_TEMPLATES_DIR; undefined for those that come with the service
 * @throws SvcError with a sentence for whoever starts the control plane
 */
export async function loadTemplates(directory: string | undefined): Promise<readonly Template[]> {
  const root = directory === undefined ? builtIn() : resolve(directory);
  if (root === undefined) return [];
  const entries = await readdir(root, { withFileTypes: true }).catch((cause: Error) => {
    throw new SvcError("internal", `The templates of SVC_TEMPLATES_DIR can't be read: ${cause.message}.`, { cause });
  });
  const names = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith(".")).map(({ name }) => name);
  return Promise.all(names.sort().map((name) => loadTemplate(join(root, name), name)));
}

async function loadTemplate(folder: string, name: string): Promise<Template> {
  const text = await readFile(join(folder, MANIFEST_FILE), "utf8").catch((cause: Error) => {
    throw new SvcError("internal", `The template ${name} has no ${MANIFEST_FILE} that can be read: ${cause.message}.`, {
      cause,
    });
  });
  return { ...parseManifest(text, name), folder };
}

function builtIn(): string | undefined {
  return BUILT_IN.map((path) => fileURLToPath(new URL(path, import.meta.url))).find((path) => existsSync(path));
}
