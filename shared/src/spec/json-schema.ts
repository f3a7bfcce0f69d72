import * as z from "zod";
import { specSchemaV2 } from "./schema.ts";

/**
 * Makes the schema by which editors check and complete a spec file: JSON Schema, draft 2020-12, of the same schema that
 * parses it. What is not in it (the marker in the first line and what its version allows, the least memory, a name
 * given twice) the parser says.
 */
export function specJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(specSchemaV2, { target: "draft-2020-12", io: "input" });
  return {
    $schema,
    title: "Deploy spec file",
    description:
      "svc.yaml, with `# spec: svc/v1` or `# spec: svc/v2` as its first line, or svc.json at the root of a repository.",
    ...schema,
  };
}
