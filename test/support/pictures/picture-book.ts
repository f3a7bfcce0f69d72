/** A file's name has an end. */
const NAME_LENGTH_MAX = 100;

/** The file's name without width and colors. @param state such as `empty`; none when it is the usual one */
export function pictureName(path: string, state: string): string {
  const words = path
    .replace(/#.*/, "")
    .replaceAll(/[0-9a-f-]{36}/g, "id")
    .split(/[^a-z0-9-]+/)
    .filter((word) => word !== "");
  const name = (words.length === 0 ? ["home"] : words).join("_").slice(0, NAME_LENGTH_MAX);
  return state === "" ? name : `${name}_${state}`;
}

/** A document that shows each page's pictures side by side. */
export function pictureBook(names: readonly string[], widths: readonly number[], schemes: readonly string[]): string {
  const sections = names.map((name) => {
    const pictures = widths.flatMap((width) =>
      schemes.map((scheme) => {
        const file = `${name}-${width}-${scheme}.png`;
        return `<a href="${file}"><img loading="lazy" width="${width === 375 ? 187 : 480}" src="${file}" alt="${width} px, ${scheme}"></a>`;
      }),
    );
    return `<h2>${name}</h2>\n<div>${pictures.join("\n")}</div>`;
  });
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Pictures of the pages</title>
<style>body { font: 14px sans-serif; background: #888 } div { display: flex; gap: 8px; align-items: start }</style>
${sections.join("\n")}
</html>
`;
}
