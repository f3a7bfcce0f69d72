/**
 * The base images that generated Dockerfiles and databases use, under their official names: pulled where a registry can
 * be reached, else built on this machine from its own package mirrors.
 *
 *   npm run base-images [-- NAME…]          without names: those that every host needs
 *   npm run base-images -- NAME --as TAG    always builds, for a registry of one's own
 *
 * Runs under Node.js 20 without any dependency.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { atOnce } from "../setup/at-once.mjs";
import { isRoot, runAsRoot } from "../setup/become-root.mjs";
import { readEngine } from "../setup/engine.mjs";
import { reportFailure, say, SetupError } from "../setup/terminal.mjs";
import { recipe as caddy } from "./caddy/recipe.mjs";
import { recipe as debian } from "./debian/recipe.mjs";
import { recipe as golang } from "./golang/recipe.mjs";
import { VERSION_LABEL } from "./image.mjs";
import { recipe as node, otherMajors as otherNodes } from "./node/recipe.mjs";
import { recipe as postgres, otherMajors as otherPostgres } from "./postgres/recipe.mjs";
import { pullImage } from "./pull.mjs";
import { recipe as python } from "./python/recipe.mjs";
import { recipe as ruby } from "./ruby/recipe.mjs";
import { recipe as rust } from "./rust/recipe.mjs";
import { recipe as swarm } from "./swarm/recipe.mjs";

/**
 * @typedef {object} Recipe
 * @property {string} name the official name and tag
 * @property {string} version raised with every change of the recipe; images of an older one are built anew
 * @property {string | undefined} base the name of the image that it is built upon
 * @property {boolean} [isOurs] whether no registry has it
 * @property {(job: RecipeJob) => Promise<void>} build
 *
 * @typedef {object} RecipeJob
 * @property {string} tag what the image is named
 * @property {string} version what its label says
 * @property {string} base the image that it is built upon
 * @property {string} directory an empty one to work in; removed afterwards
 */

/** Images that databases and the quickstart's own apps need. */
const essentials = [debian, node, caddy, postgres];

/** Images that apps in other languages start from unless they ask for a version. */
const languages = [python, golang, rust, ruby];

/**
 * In the order in which they are built.
 *
 * @type {readonly Recipe[]}
 */
export const recipes = [...essentials, ...languages, swarm, ...otherNodes, ...otherPostgres];

/** Official names of those that every host needs; the others are made when somebody asks for them. */
export const essentialNames = essentials.map(({ name }) => name);

/** Official names of those that the tests deploy from. */
export const testNames = [...essentials, ...languages, swarm].map(({ name }) => name);

/**
 * @param {readonly string[]} [names] official names; what every host needs by default
 * @param {AbortSignal} [stop] ends it between two images
 * @throws {SetupError}
 */
export async function ensureBaseImages(names = essentialNames, stop) {
  const missing = await missingBaseImages(names);
  if (missing.length === 0) return say(`The base images are there (${names.join(", ")}).`);
  for (const [at, recipe] of missing.entries()) {
    stop?.throwIfAborted();
    const reason = recipe.isOurs ? "it is the platform's own" : await pullImage(recipe.name);
    if (reason === undefined) continue;
    say(
      `${recipe.name} cannot be pulled (${reason}). Building what is missing from this machine's package mirrors instead.`,
    );
    const current = await Promise.all(recipes.map(isCurrent));
    const there = recipes.filter((_, index) => current[index]);
    return buildAll(withBases(missing.slice(at), there), (next) => buildBaseImage(next), stop);
  }
}

/**
 * Returns the wanted recipes, and before each the missing ones that it is built upon.
 *
 * @param {readonly Recipe[]} wanted
 * @param {readonly Recipe[]} there
 */
export function withBases(wanted, there) {
  const needed = new Set(wanted);
  for (const recipe of recipes.toReversed())
    if (needed.has(recipe) && recipe.base !== undefined) needed.add(recipeFor(recipe.base));
  return recipes.filter((recipe) => needed.has(recipe) && (wanted.includes(recipe) || !there.includes(recipe)));
}

/**
 * Builds two at a time, each after its base: fetching and unpacking packages leaves half of a small machine idle. After
 * a failure what is being built is finished, and nothing more is begun.
 *
 * @param {readonly Recipe[]} wanted bases first
 * @param {(recipe: Recipe) => Promise<void>} build
 * @param {AbortSignal} [stopAll] ends it between two images
 * @throws the first failure
 */
export async function buildAll(wanted, build, stopAll) {
  const queue = [...wanted];
  /** @type {Map<string | undefined, Promise<void>>} */
  const builds = new Map();
  /** @param {AbortSignal} stop */
  async function work(stop) {
    for (let recipe; (recipe = queue.shift()) !== undefined;) {
      stop.throwIfAborted();
      const next = recipe;
      const made = Promise.resolve(builds.get(next.base)).then(() => build(next));
      builds.set(next.name, made);
      await made;
    }
  }
  await atOnce([work, work], stopAll);
}

/**
 * Lists the images that are missing, or were built here by an older recipe.
 *
 * @param {readonly string[]} [names]
 */
export async function missingBaseImages(names = essentialNames) {
  const wanted = names.map(recipeFor);
  const current = await Promise.all(recipes.map(isCurrent));
  return recipes.filter((recipe, index) => wanted.includes(recipe) && !current[index]);
}

/** @param {Recipe} recipe */
async function isCurrent(recipe) {
  const image = /** @type {{ Config?: { Labels?: Record<string, string> } } | undefined} */ (
    await readEngine(`/images/${recipe.name}/json`)
  );
  if (image === undefined) return false;
  const version = image.Config?.Labels?.[VERSION_LABEL];
  return version === undefined || version === recipe.version;
}

/**
 * @param {Recipe} recipe
 * @param {{ tag?: string, base?: string }} [names] others than the official ones
 */
async function buildBaseImage(recipe, { tag = recipe.name, base = recipe.base ?? "scratch" } = {}) {
  const startedAt = Date.now();
  say(`Building ${tag} …`);
  const directory = await mkdtemp(join(tmpdir(), "svc-base-image-"));
  try {
    await recipe.build({ tag, base, version: recipe.version, directory });
  } catch (error) {
    if (error instanceof SetupError) throw error;
    throw new SetupError(
      `The base image ${tag} could not be built.`,
      error instanceof Error ? error.message : String(error),
      "Make sure that this machine reaches its Debian mirror (`apt-get update`) and npm registry (`npm ping`), or load the image yourself (`docker load`), and run the command again.",
    );
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
  say(`Built ${tag} in ${Math.round((Date.now() - startedAt) / 1000)} s.`);
}

/** @param {string} name official, with or without its tag */
export function recipeFor(name) {
  const recipe = recipes.find((one) => one.name === name || one.name.split(":")[0] === name);
  if (recipe !== undefined) return recipe;
  throw new SetupError(
    `There is no recipe for ${name}.`,
    `There is one for each of ${recipes.map((known) => known.name).join(", ")}.`,
    "Name one of them, or none for those that every host needs.",
  );
}

async function main() {
  const { positionals, values } = parseArgs({ allowPositionals: true, options: { as: { type: "string" } } });
  const wanted = positionals.map(recipeFor);
  if (!isRoot()) {
    process.exitCode = await runAsRoot("to build base images", process.argv.slice(1));
  } else if (values.as === undefined) {
    await ensureBaseImages(wanted.length === 0 ? undefined : wanted.map(({ name }) => name));
  } else {
    const [recipe] = wanted;
    if (recipe === undefined || wanted.length > 1) {
      throw new SetupError(
        "--as names one image.",
        `${wanted.length} were given.`,
        "Use `npm run base-images -- NAME --as TAG`.",
      );
    }
    await buildBaseImage(recipe, { tag: values.as });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main().catch(reportFailure);
