import { z } from "@hono/zod-openapi";
import {
  ENV_KEY,
  ENV_KEY_LENGTH_MAX,
  ENV_VALUE_BYTES_MAX,
  ENV_VARS_MAX,
  PUBLIC_ENV_BYTES_MAX,
} from "@svc/shared/rules/env-key.ts";

/** Checks as a record of strings would, which leaves out the key `__proto__` without a word. */
export const EnvSchema = z
  .custom<Record<string, string>>()
  .superRefine(requireStrings)
  .openapi({
    type: "object",
    additionalProperties: { type: "string" },
    description:
      `key → value; a key matches \`${ENV_KEY.source}\`, with at most ${ENV_KEY_LENGTH_MAX} characters, and is not \`PORT\` or ` +
      `\`SVC_*\`; a value has at most ${ENV_VALUE_BYTES_MAX} bytes, an app at most ${ENV_VARS_MAX} variables; those ` +
      `with a public prefix, which builds are told, at most ${PUBLIC_ENV_BYTES_MAX} bytes of values in all`,
  });

function requireStrings(value: unknown, ctx: z.RefinementCtx): void {
  const refuse = (path: string[], expected: "record" | "string", input: unknown): void =>
    ctx.addIssue({ code: "invalid_type", expected, path, input });
  if (typeof value !== "object" || value === null || Array.isArray(value)) return refuse([], "record", value);
  for (const [key, entry] of Object.entries(value))
    if (typeof entry !== "string") return refuse([key], "string", entry);
}
