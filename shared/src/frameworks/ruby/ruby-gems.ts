import { BASE_IMAGES } from "../base-images.ts";
import type { FileTree } from "../repository/file-tree.ts";

/**
 * Gems of the Gemfile, and those that Gemfile.lock has resolved, with their versions where they are locked.
 *
 * @returns name → version; undefined as version where only the Gemfile names it
 */
export function gemsOf(files: FileTree): ReadonlyMap<string, string | undefined> {
  const gems = new Map<string, string | undefined>();
  for (const [, name] of (files.read("Gemfile") ?? "").matchAll(/^[ \t]*gem[\s(]+["']([\w.-]+)["']/gm))
    gems.set(name!, undefined);
  const lock = files.read("Gemfile.lock") ?? "";
  for (const [, name, version] of lock.matchAll(/^ {4}([\w.-]+) \(([\w.-]+)\)$/gm)) gems.set(name!, version);
  return gems;
}

/** The version that hosts can build an image of. */
const OFFERED = "3.1";

/** For Rails that needs a newer Ruby than the offered one. */
const NEWER = "3.4";
const NEWER_SINCE_RAILS = 8;

/**
 * Takes the version that the Gemfile demands, since Bundler refuses every other; the one that .ruby-version prefers is
 * noted.
 */
export function chooseRuby(
  files: FileTree,
  gems: ReadonlyMap<string, string | undefined>,
): { image: string; notes: string[] } {
  const preferred = versionIn(files.read(".ruby-version"));
  const demanded = demandedVersion(files, preferred);
  if (demanded !== undefined && demanded !== OFFERED) {
    const image = `ruby:${demanded}-slim`;
    return { image, notes: [`The Gemfile requires Ruby ${demanded}, so the image ${image} is used.`] };
  }
  const version = Number.parseInt(gems.get("rails") ?? "0", 10) >= NEWER_SINCE_RAILS ? NEWER : OFFERED;
  const image = version === OFFERED ? BASE_IMAGES.ruby : `ruby:${version}-slim`;
  const isOther = preferred !== undefined && !`${preferred}.`.startsWith(`${version}.`);
  return {
    image,
    notes: isOther ? [`The repository asks for Ruby ${preferred}; it is built and run with Ruby ${version}.`] : [],
  };
}

/** Exact or a minor version; ranges such as `~> 3.1` demand what they start with, unless the offered one will do. */
function demandedVersion(files: FileTree, preferred: string | undefined): string | undefined {
  // A person's demand has some 20 characters, and the spaces around its operator are tried in pairs.
  const line = /^[ \t]*ruby[\s(]+(.{0,200})/m.exec(files.read("Gemfile") ?? "")?.[1];
  if (line === undefined) return undefined;
  if (/file:\s*["']\.ruby-version["']/.test(line)) return preferred;
  const [, operator = "=", version] = /["']\s*(>=|~>|=|>)?\s*(\d+\.\d+(?:\.\d+)?)/.exec(line) ?? [];
  if (version === undefined) return undefined;
  if (operator === "=") return version;
  const [major, minor] = version.split(".").map(Number);
  return major === 3 && minor! <= Number(OFFERED.split(".")[1]) ? undefined : `${major}.${minor}`;
}

function versionIn(text: string | undefined): string | undefined {
  return /^[ \t]*(?:ruby-)?(\d+\.\d+(?:\.\d+)?)/.exec(text ?? "")?.[1];
}
