/** Text as PostgreSQL takes it: without NUL, and well-formed. A program's output may have both. */
export function storableText(text: string): string {
  return text.replaceAll("\u0000", "\uFFFD").toWellFormed();
}

/** JSON whose texts PostgreSQL takes. */
export function storableJson(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) => (typeof each === "string" ? storableText(each) : each));
}
