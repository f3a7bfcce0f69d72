/** Reads JSON of others; undefined for text that is none. */
export function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reads a file of the operator's. @throws Error with a sentence that goes on behind the file's name */
export function requireJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`it is not JSON: ${(cause as Error).message}`, { cause });
  }
}

/** Whether it is an object with properties; a list is none. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Its properties; none of a value that has no properties. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}
