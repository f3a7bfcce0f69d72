/** Text as PostgreSQL takes it: without NUL, and well-formed. A program's output may have both. */
export function storableText(text: string): string {
  return text.replaceAll("\u0000", "\uFFFD").toWellFormed();
}
