import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildImage } from "../image.mjs";
import { npmArch, unpackNpmPackage } from "../npm-package.mjs";

const NODE_VERSION = "22.23.3";

/** The npm that Node.js 22 ships with. */
const NPM_VERSION = "10.9.9";

/** Node.js and npm from their npm packages. @type {import("../build.mjs").Recipe} */
export const recipe = {
  name: "node:22-slim",
  version: "1",
  base: "debian:bookworm-slim",
  async build(job) {
    const context = join(job.directory, "context");
    await cp(fileURLToPath(new URL("context", import.meta.url)), context, { recursive: true });
    await Promise.all([
      unpackNpmPackage(`node-linux-${npmArch()}@${NODE_VERSION}`, join(context, "node"), ["bin/node"]),
      unpackNpmPackage(`npm@${NPM_VERSION}`, join(context, "npm")),
    ]);
    await rm(join(context, "node.archive"), { recursive: true });
    await rm(join(context, "npm.archive"), { recursive: true });
    await buildImage(job, context);
  },
};
