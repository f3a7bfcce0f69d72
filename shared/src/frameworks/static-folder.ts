import type { FileTree } from "./framework.ts";

/** What begins with this is for a generator of sites (Jekyll), and would be shown as it is. */
const FRONT_MATTER = /^\ufeff?---\r?\n/;

/** The folder whose files are a site as they are: "." for the root, else the one that firebase.json names. */
export function staticFolder(files: FileTree): string | undefined {
  return [".", publicFolder(files)].find((folder) => {
    const index = folder === undefined ? undefined : files.read(folder === "." ? "index.html" : `${folder}/index.html`);
    return index !== undefined && !FRONT_MATTER.test(index);
  });
}

function publicFolder(files: FileTree): string | undefined {
  const text = files.read("firebase.json");
  return text === undefined ? undefined : /"public"\s*:\s*"(?:\.\/)?([\w-]+)\/?"/.exec(text)?.[1];
}
