/**
 * A line of a shell that takes the first of the folders with an index.html to /site.
 *
 * @param folders plain paths, which may have a `*` in them
 * @param otherwise what is taken when none has: everything but the packages, or nothing, which ends the build
 */
export function takeFirstSite(folders: readonly string[], otherwise: "everything" | "none"): string {
  const all = otherwise === "everything" ? [...folders, "."] : folders;
  const search = `for folder in ${all.join(" ")}; do if [ -f "$folder/index.html" ]; then break; fi; done; `;
  if (otherwise === "everything") {
    return `${search}if [ "$folder" = . ]; then rm -rf node_modules; fi; cp -a "$folder" /site`;
  }
  const missing = `The build ended well, but made no index.html in any of the folders ${folders.join(", ")}.`;
  return (
    `${search}if [ ! -f "$folder/index.html" ]; then echo '${missing} Name the folder as a plain string in the ` +
    `configuration, or add a Dockerfile.' >&2; exit 1; fi; cp -a "$folder" /site`
  );
}
