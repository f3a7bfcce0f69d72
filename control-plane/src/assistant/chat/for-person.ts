/** A tool's answer without what is there for a model alone: the hint at its end which tool comes next, and the marks around data. */
export function forPerson(answer: string): string {
  return answer
    .replace(/\bNext: [^\n]*$/, "")
    .replaceAll(/^<data from="[^"]*">\n?/gm, "")
    .replaceAll(/\n?<\/data>/g, "")
    .trim();
}
