import { fileURLToPath } from "node:url";
import { buildImage } from "../image.mjs";

/**
 * The Rust that Debian builds browsers with: the newest one that it keeps up.
 *
 * @type {import("../build.mjs").Recipe}
 */
export const recipe = {
  name: "rust:1-bookworm",
  version: "1",
  base: "debian:bookworm-slim",
  build: (job) => buildImage(job, fileURLToPath(new URL("context", import.meta.url))),
};
