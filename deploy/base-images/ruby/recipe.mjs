import { fileURLToPath } from "node:url";
import { buildImage } from "../image.mjs";

/**
 * Debian's Ruby, with the gems of Rails that Debian packages: what Bundler installs in it comes from there.
 *
 * @type {import("../build.mjs").Recipe}
 */
export const recipe = {
  name: "ruby:3.1-slim",
  version: "2",
  base: "debian:bookworm-slim",
  build: (job) => buildImage(job, fileURLToPath(new URL("context", import.meta.url))),
};
