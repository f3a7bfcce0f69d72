import { SvcError } from "@svc/shared/errors.ts";
import { quoted } from "../../platform/invalid.ts";
import type { Template } from "./template.ts";

/** @throws SvcError template_unknown */
export function findTemplate(templates: readonly Template[], slug: string): Template {
  const template = templates.find((one) => one.slug === slug);
  if (template) return template;
  const known = templates.map((one) => one.slug).join(", ") || "none here";
  throw new SvcError("template_unknown", `There is no template ${quoted(slug)}; GET /api/templates lists: ${known}.`);
}
