import { parseDocument } from "yaml";
import { z } from "zod";
import { SvcError } from "@svc/shared/errors.ts";
import { MANIFEST_FILE } from "../../repositories/hosting/repository-folders.ts";
import { checkFramework } from "../framework.ts";
import { PORT } from "@svc/shared/rules/port.ts";

/** A template is what users choose from. */
export interface Template {
  slug: string;
  title: string;
  description: string;
  framework: string;
  port: number;
  needsDatabase: boolean;
  /** Absolute path of the folder with its files. */
  folder: string;
}

const line = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^\P{Cc}*$/u, "must be one line of text");

const ManifestSchema = z.strictObject({
  slug: z.string().regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, "must be lower-case letters, digits and hyphens"),
  title: line(80),
  description: line(500),
  framework: z.string(),
  port: z.int().min(PORT.min).max(PORT.max),
  needs_database: z.boolean(),
});

/**
 * @param folderName the slug must be the same, so that two templates never share one
 * @throws SvcError with a sentence for whoever starts the control plane
 */
export function parseManifest(text: string, folderName: string): Omit<Template, "folder"> {
  const wrong = (reason: string): SvcError =>
    new SvcError("internal", `The template ${folderName} can't be used: its ${MANIFEST_FILE} ${reason}.`);
  const document = parseDocument(text);
  const [mistake] = document.errors;
  if (mistake) throw wrong(`is not YAML: ${mistake.message.split("\n")[0]}`);
  const result = ManifestSchema.safeParse(document.toJS());
  if (!result.success) {
    const [issue] = result.error.issues;
    throw wrong(`has a mistake at ${issue!.path.join(".") || "its top"}: ${issue!.message}`);
  }
  const { needs_database: needsDatabase, ...manifest } = result.data;
  if (manifest.slug !== folderName) throw wrong(`has the slug ${manifest.slug}; it must be the folder's name`);
  try {
    checkFramework(manifest.framework);
  } catch (error) {
    throw wrong(`has a mistake at framework: ${(error as Error).message}`);
  }
  return { ...manifest, needsDatabase };
}
