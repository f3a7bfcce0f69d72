import { z } from "@hono/zod-openapi";
import type { SvcError } from "@svc/shared/errors.ts";
import { invalid, quoted } from "../invalid.ts";

/** An object without further properties; the rules of its values are the domain's, the types are checked here. */
export type ObjectSchema = z.ZodObject;

/**
 * @param where for the sentence: "body" or "query"
 * @throws SvcError invalid_request, naming the property
 */
export function parseObject<S extends ObjectSchema>(schema: S, value: unknown, where: string): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw complaint(schema, value, result.error.issues[0]!, where);
}

function complaint(schema: ObjectSchema, value: unknown, issue: z.core.$ZodIssue, where: string): SvcError {
  const path = issue.path.map(String).join(".");
  if (issue.code === "unrecognized_keys") {
    const known = Object.keys(schema.shape);
    const allowed = path !== "" ? "" : known.length === 0 ? " None is allowed." : ` Allowed are ${known.join(", ")}.`;
    const place = path === "" ? where : `${where}'s ${path}`;
    return invalid(
      `The ${where === "query" ? "query parameter" : "property"} ${quoted(issue.keys[0] ?? "")} is unknown in the ${place}.${allowed}`,
    );
  }
  if (path === "") return invalid(`The ${where} must be a JSON object.`);
  const property = where === "query" ? `The query parameter ${path}` : `The property ${path}`;
  if (issue.code === "invalid_type" && valueAt(value, issue.path) === undefined) {
    return invalid(`${property} is missing: it must be ${article(issue.expected)}.`);
  }
  if (issue.code === "invalid_type") return invalid(`${property} must be ${article(issue.expected)}.`);
  return invalid(`${property}: ${issue.message}`);
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (current, key) => (typeof current === "object" && current !== null ? Reflect.get(current, key) : undefined),
    value,
  );
}

function article(type: string): string {
  const names: Record<string, string> = {
    int: "a whole number",
    number: "a number",
    string: "a string",
    boolean: "true or false",
  };
  return names[type] ?? (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`);
}

/** A whole number in the query. */
export function integerParameter({ min, max, default: usual }: { min: number; max: number; default?: number }) {
  const sentence = `it must be a whole number from ${min} to ${max}.`;
  return z
    .string()
    .regex(/^[0-9]{1,9}$/, sentence)
    .transform(Number)
    .refine((number) => number >= min && number <= max, sentence)
    .optional()
    .openapi({ type: "integer", minimum: min, maximum: max, ...(usual !== undefined && { default: usual }) });
}
