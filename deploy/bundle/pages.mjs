import { readdir, readFile, writeFile } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { repositoryRoot } from "../setup/dependencies.mjs";

/** In dist/. The control plane serves its scripts and styles at /assets/. */
export const PAGES_FOLDER = "pages";

/** The document of every page; from the root. */
export const PAGE_TEMPLATE = "control-plane/dashboard/page.html";

const SOURCES = "control-plane/dashboard/src";
const PAGES = `${SOURCES}/pages`;
const STYLE = `${SOURCES}/pages.css`;

/** Browsers of the last two years. */
const BROWSERS = ["chrome120", "firefox121", "safari17.4"];

/** @typedef {import("esbuild").Metafile["outputs"]} Outputs */

/**
 * Builds each file of the dashboard's `pages/` into an HTML document, app/env.tsx into app-env.html, with the scripts and the
 * style that it needs. The names of those hold a hash of their content, so that a browser may keep them for ever; each is there
 * compressed as well.
 *
 * @param {string} folder the results are put in its PAGES_FOLDER
 * @returns {Promise<{ metafile: import("esbuild").Metafile, files: string[] }>} files: from `folder`, each after those
 *   that it asks for
 */
export async function buildPages(folder) {
  // Whoever imports this file may be about to install the dependencies.
  const { build } = await import("esbuild");
  const found = await readdir(join(repositoryRoot, PAGES), { recursive: true, withFileTypes: true });
  const pages = found
    .filter((file) => file.isFile())
    .map((file) => relative(repositoryRoot, join(file.parentPath, file.name)));
  const { metafile } = await build({
    absWorkingDir: repositoryRoot,
    entryPoints: [STYLE, ...pages].map((file) => ({ in: file, out: nameOf(file) })),
    outdir: join(folder, PAGES_FOLDER),
    entryNames: "[name]-[hash]",
    chunkNames: "part-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    minify: true,
    metafile: true,
    legalComments: "none",
    target: BROWSERS,
    jsx: "automatic",
    jsxImportSource: "preact",
    plugins: [adoptedStyles],
    logLevel: "silent",
  });
  const { outputs } = metafile;
  const assets = Object.keys(outputs).map((output) => relative(folder, join(repositoryRoot, output)));
  const compressed = (await Promise.all(assets.map((asset) => compress(folder, asset)))).flat();
  const template = await minified(await readFile(join(repositoryRoot, PAGE_TEMPLATE), "utf8"));
  const documents = pages.map(async (page) => {
    const document = `${PAGES_FOLDER}/${nameOf(page)}.html`;
    await writeFile(join(folder, document), documentOf(template, outputs, page));
    return document;
  });
  return { metafile, files: [...compressed, ...assets, ...(await Promise.all(documents))] };
}

/**
 * Gives a script that imports a style its text. A script that is loaded later brings its style so, which no page loads before.
 *
 * @type {import("esbuild").Plugin}
 */
const adoptedStyles = {
  name: "adopted-styles",
  setup({ esbuild, onLoad }) {
    onLoad({ filter: /[/\\]parts[/\\].*\.css$/ }, async ({ path }) => {
      const { code } = await esbuild.transform(await readFile(path, "utf8"), {
        loader: "css",
        minify: true,
        target: BROWSERS,
      });
      return { contents: code.trim(), loader: "text" };
    });
  },
};

/** @param {string} file of `pages/`, or the style; from the root */
function nameOf(file) {
  return relative(PAGES, file)
    .replace(/^\.\.\//, "")
    .replace(/\.\w+$/, "")
    .replaceAll("/", "-");
}

/**
 * @param {string} folder
 * @param {string} asset
 */
async function compress(folder, asset) {
  const bytes = await readFile(join(folder, asset));
  const variants = {
    gz: promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }),
    br: promisify(brotliCompress)(bytes),
  };
  return Promise.all(
    Object.entries(variants).map(async ([suffix, compressed]) => {
      await writeFile(join(folder, `${asset}.${suffix}`), await compressed);
      return `${asset}.${suffix}`;
    }),
  );
}

/**
 * Names all scripts at once, so that the browser does not find the one inside of the other.
 *
 * @param {string} template
 * @param {Outputs} outputs
 * @param {string} page its source
 */
function documentOf(template, outputs, page) {
  const [style, script] = [outputOf(outputs, STYLE), outputOf(outputs, page)];
  const files = [
    `<link rel="stylesheet" href="${addressOf(style)}">`,
    ...largestFirst(outputs, partsOf(outputs, script)).map(
      (part) => `<link rel="modulepreload" href="${addressOf(part)}">`,
    ),
    `<script type="module" src="${addressOf(script)}"></script>`,
  ];
  return template.replace("<!-- files -->", () => files.join("\n"));
}

/**
 * Each page holds it: it is made as short as its script and its lines can be.
 *
 * @param {string} template
 */
async function minified(template) {
  const { transform } = await import("esbuild");
  const [whole, source = ""] = /<script>(.*?)<\/script>/s.exec(template) ?? [""];
  const { code } = await transform(source, { minify: true, target: BROWSERS });
  return template
    .replace(whole, () => `<script>${code.trim()}</script>`)
    .replaceAll(/\n */g, "\n")
    .replaceAll(" />", ">");
}

/**
 * @param {Outputs} outputs
 * @param {string} source
 */
function outputOf(outputs, source) {
  const found = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === source);
  if (found === undefined) throw new Error(`${source} was not built.`);
  return found[0];
}

/**
 * The scripts that it imports at once, and that those import; what it imports later, it loads later.
 *
 * @param {Outputs} outputs
 * @param {string} script
 * @returns {string[]}
 */
function partsOf(outputs, script) {
  const atOnce = outputs[script]?.imports.filter(({ kind }) => kind === "import-statement") ?? [];
  const parts = atOnce.map(({ path }) => path);
  return [...new Set(parts.concat(parts.flatMap((part) => partsOf(outputs, part))))];
}

/**
 * A browser asks for six files at a time (RFC 9112 leaves the number to it): the largest one is not to wait for the others.
 *
 * @param {Outputs} outputs
 * @param {string[]} parts
 */
function largestFirst(outputs, parts) {
  /** @param {string} part */
  const sizeOf = (part) => outputs[part]?.bytes ?? 0;
  return parts.toSorted((a, b) => sizeOf(b) - sizeOf(a));
}

/** @param {string} output */
function addressOf(output) {
  return `/assets/${basename(output)}`;
}
