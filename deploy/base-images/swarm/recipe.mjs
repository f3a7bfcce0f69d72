import { fileURLToPath } from "node:url";
import { buildImage } from "../image.mjs";

/** The parts that an agent runs in a cluster: its registry, its way to the apps, its rules. @type {import("../build.mjs").Recipe} */
export const recipe = {
  name: "svc-swarm:1",
  version: "1",
  base: "debian:bookworm-slim",
  isOurs: true,
  build: (job) => buildImage(job, fileURLToPath(new URL("context", import.meta.url))),
};
