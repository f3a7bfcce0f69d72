/** Puts what the package is made of into its folder: minified, without dependencies. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { SVC_BUNDLE } from "../deploy/bundle/options.mjs";

const root = join(import.meta.dirname, "..");
const outdir = join(import.meta.dirname, "dist");

await rm(outdir, { recursive: true, force: true });
await build({ ...SVC_BUNDLE, absWorkingDir: root, outdir, minify: true, keepNames: false, logLevel: "warning" });
