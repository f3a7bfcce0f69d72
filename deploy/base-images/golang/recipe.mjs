import { fileURLToPath } from "node:url";
import { buildImage } from "../image.mjs";

/**
 * Go from Debian's backports.
 *
 * @type {import("../build.mjs").Recipe}
 */
export const recipe = {
  name: "golang:1-bookworm",
  version: "1",
  base: "debian:bookworm-slim",
  build: (job) => buildImage(job, fileURLToPath(new URL("context", import.meta.url))),
};
