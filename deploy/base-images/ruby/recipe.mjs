import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildImage } from "../image.mjs";

/**
 * Debian's Ruby, with the gems of Rails that Debian packages: what Bundler installs in it comes from there.
 *
 * @type {import("../build.mjs").Recipe}
 */
export const recipe = {
  name: "ruby:3.1-slim",
  version: "1",
  base: "debian:bookworm-slim",
  build: (job) => buildImage(job, fileURLToPath(new URL("context", import.meta.url))),
};

/**
 * The same under its full version, which Bundler insists on where a Gemfile names it.
 *
 * @type {import("../build.mjs").Recipe}
 */
export const exactRecipe = {
  name: "ruby:3.1.2-slim",
  version: "1",
  base: recipe.name,
  async build(job) {
    await writeFile(
      join(job.directory, "Dockerfile"),
      `ARG BASE\nFROM $BASE\nRUN ruby --version | grep -F "ruby 3.1.2p"\n`,
    );
    await buildImage(job, job.directory);
  },
};
