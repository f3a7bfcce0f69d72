/** The items of a list that an option gives: without spaces around them, and without empty ones. */
export function commaSeparated(text: string): string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}
