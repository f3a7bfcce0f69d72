import { parse, TomlError } from "smol-toml";
import type { z } from "zod";
import { SvcError } from "../../errors.ts";
import type { FileTree } from "./file-tree.ts";

/**
 * A TOML file as its schema says; undefined when there is none.
 * @throws SvcError framework_unknown when it cannot be read so
 */
export function readToml<T>(files: FileTree, path: string, schema: z.ZodType<T>): T | undefined {
  const text = files.read(path);
  if (text === undefined) return undefined;
  const parsed = schema.safeParse(parseToml(path, text));
  if (parsed.success) return parsed.data;
  const wrong = parsed.error.issues[0]?.path.join(".") ?? "";
  throw unreadable(path, `\`${wrong}\` is wrong in it`);
}

function parseToml(path: string, text: string): unknown {
  try {
    return parse(text.replace(/^\ufeff/, ""));
  } catch (error) {
    if (error instanceof TomlError) throw unreadable(path, `line ${error.line}, column ${error.column}`);
    throw error;
  }
}

function unreadable(path: string, what: string): SvcError {
  return new SvcError("framework_unknown", `The repository's ${path} cannot be read (${what}). Correct it and push.`);
}
