import * as z from "zod";
import type { FileTree } from "../../repository/file-tree.ts";
import { readNodeConfig, stringOf } from "./node-config.ts";

/** Pages that begin with this are for a generator of sites (Jekyll), and would be shown as they are. */
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
  const named = text === undefined ? undefined : hostedFolder(text);
  return named === undefined ? undefined : /^(?:\.\/)?([\w-]+)\/?$/.exec(named)?.[1];
}

const firebase = z.object({ hosting: z.union([z.object({ public: z.string() }), z.array(z.unknown())]) });
const site = z.object({ public: z.string() });

/** `hosting.public`, of the first site where there are several. */
function hostedFolder(text: string): string | undefined {
  try {
    const { hosting } = firebase.parse(JSON.parse(text.replace(/^\ufeff/, "")));
    return site.safeParse(Array.isArray(hosting) ? hosting[0] : hosting).data?.public;
  } catch {
    // Firebase allows comments, and so does JavaScript.
    return stringOf(readNodeConfig(`export default ${text}`).setting(["hosting", "public"]));
  }
}
