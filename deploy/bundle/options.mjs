/** How the sources become bundles for Node.js; the entry points are the caller's. */
export const BUNDLE = /** @satisfies {import("esbuild").BuildOptions} */ ({
  outExtension: { ".js": ".mjs" },
  bundle: true,
  platform: "node",
  format: "esm",
  // Packages that offer both an ES module and CommonJS: the first is smaller in a bundle.
  mainFields: ["module", "main"],
  // CommonJS packages inside the bundle ask for Node's modules by `require`, which an ES module does not have.
  banner: {
    js: `import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);`,
  },
  logLevel: "silent",
});

/**
 * The control plane: what it needs once somebody signs in, or a mail is sent, stays in files that it does not load before.
 * They lie beside it, since code looks for files from where it lies itself.
 */
export const CONTROL_PLANE_BUNDLE = /** @satisfies {import("esbuild").BuildOptions} */ ({
  ...BUNDLE,
  entryPoints: [{ in: "control-plane/src/main.ts", out: "control-plane" }],
  splitting: true,
  chunkNames: "control-plane-[name]-[hash]",
});

/**
 * The command-line tool: what a command does not need stays in files that it does not load, which is what makes
 * `svc --version` start at once.
 */
export const SVC_BUNDLE = /** @satisfies {import("esbuild").BuildOptions} */ ({
  ...BUNDLE,
  entryPoints: [{ in: "cli/src/main.ts", out: "svc" }],
  splitting: true,
  chunkNames: "svc/[name]-[hash]",
  // The Node.js of its users' machines (cli/package.json, engines); the daemons bring Node.js 24.
  target: "node20",
});
