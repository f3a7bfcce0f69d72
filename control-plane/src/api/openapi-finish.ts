import { exampleOf, type Schema, type Schemas } from "./openapi-examples.ts";

interface MediaType {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, unknown>;
}
type Content = Record<string, MediaType>;
interface Operation {
  parameters?: { name: string; schema?: Schema }[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
}

export interface Document {
  components?: { schemas?: Schemas };
  paths: Record<string, Record<string, Operation>>;
}

/** Gives every schema, parameter and body an example, and lets what may be null be null. */
export function finishDocument(document: Document): void {
  const schemas = document.components?.schemas ?? {};
  for (const schema of Object.values(schemas)) finishSchema(schema, schemas);
  for (const operation of Object.values(document.paths).flatMap((methods) => Object.values(methods))) {
    for (const { name, schema } of operation.parameters ?? []) if (schema) finishSchema(schema, schemas, name);
    const contents = [operation.requestBody?.content, ...Object.values(operation.responses).map((r) => r.content)];
    for (const media of contents.flatMap((content) => Object.values(content ?? {}))) finishMedia(media, schemas);
  }
}

function finishMedia(media: MediaType, schemas: Schemas): void {
  if (!media.schema) return;
  finishSchema(media.schema, schemas);
  if (media.example === undefined && media.examples === undefined) media.example = exampleOf(media.schema, schemas);
}

function finishSchema(schema: Schema, schemas: Schemas, name?: string): void {
  if (schema.$ref !== undefined) return;
  // An enumeration that is written by hand does not know that its property may be null.
  if (schema.enum && Array.isArray(schema.type) && schema.type.includes("null") && !schema.enum.includes(null)) {
    schema.enum = [...schema.enum, null];
  }
  for (const [key, property] of Object.entries(schema.properties ?? {})) finishSchema(property, schemas, key);
  for (const part of [schema.allOf, schema.anyOf, schema.oneOf].flat()) if (part) finishSchema(part, schemas, name);
  if (schema.items) finishSchema(schema.items, schemas);
  if (schema.example === undefined) schema.examples ??= [exampleOf(schema, schemas, name)];
}
