import { fileURLToPath } from "node:url";
import { buildImage } from "../image.mjs";

/** Debian's Caddy. @type {import("../build.mjs").Recipe} */
export const recipe = {
  name: "caddy:2",
  version: "1",
  base: "debian:bookworm-slim",
  build: (job) => buildImage(job, fileURLToPath(new URL("context", import.meta.url))),
};
