import { fileURLToPath } from "node:url";
import { buildImage } from "../image.mjs";

/**
 * Debian's Python where the official image has its own, with wheels of the frameworks that Debian packages: what pip
 * installs in it comes from there.
 *
 * @type {import("../build.mjs").Recipe}
 */
export const recipe = {
  name: "python:3.11-slim",
  version: "2",
  base: "debian:bookworm-slim",
  build: (job) => buildImage(job, fileURLToPath(new URL("context", import.meta.url))),
};
