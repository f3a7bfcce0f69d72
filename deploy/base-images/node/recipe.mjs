import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildImage } from "../image.mjs";
import { npmArch, unpackNpmPackage } from "../npm-package.mjs";

/**
 * Node.js and npm from their npm packages.
 *
 * @param {{ node: string, npm: string, version: string }} release versions of Node.js, of the npm that it ships with,
 *   and of the recipe
 * @returns {import("../build.mjs").Recipe}
 */
function recipeOf({ node, npm, version }) {
  return {
    name: `node:${node.split(".")[0]}-slim`,
    version,
    base: "debian:bookworm-slim",
    async build(job) {
      const context = join(job.directory, "context");
      await cp(fileURLToPath(new URL("context", import.meta.url)), context, { recursive: true });
      await Promise.all([
        unpackNpmPackage(`node-linux-${npmArch()}@${node}`, join(context, "node"), ["bin/node"]),
        unpackNpmPackage(`npm@${npm}`, join(context, "npm")),
      ]);
      await rm(join(context, "node.archive"), { recursive: true });
      await rm(join(context, "npm.archive"), { recursive: true });
      await buildImage(job, context);
    },
  };
}

/** The version for apps that ask for no other. */
export const recipe = recipeOf({ node: "22.23.3", npm: "10.9.9", version: "1" });

/**
 * Is for apps whose `engines`, `.nvmrc` or `.node-version` ask for one of them
 * (shared/src/frameworks/node/project/node-version.ts).
 */
export const otherMajors = [
  recipeOf({ node: "20.20.2", npm: "10.8.2", version: "1" }),
  recipeOf({ node: "24.21.0", npm: "11.19.1", version: "1" }),
];
