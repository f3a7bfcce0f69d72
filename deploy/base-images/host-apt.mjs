import { readFileSync } from "node:fs";
import { capture, CommandError, findProgram } from "../setup/run.mjs";

/**
 * The mirrors that this machine's apt is configured with. apt is asked, so both formats of its sources are understood.
 *
 * @typedef {object} DebianMirrors
 * @property {string | undefined} main undefined where this machine is no Debian: mmdebstrap's own default then
 * @property {string | undefined} security
 */

/** @returns {Promise<DebianMirrors>} */
export async function debianMirrors() {
  if (findProgram("apt-get") === undefined) return { main: undefined, security: undefined };
  const targets = await capture("apt-get", [
    "indextargets",
    "--format",
    "$(ORIGIN)|$(LABEL)|$(REPO_URI)",
    "Created-By: Packages",
  ]);
  return mirrorsOf(targets, (file) => readFileSync(file, "utf8"));
}

/**
 * @param {string} targets a line `origin|label|uri` per source
 * @param {(file: string) => string} read for `mirror+file:` sources, whose file names the mirrors
 * @returns {DebianMirrors}
 */
export function mirrorsOf(targets, read) {
  const sources = targets
    .split("\n")
    .map((line) => line.split("|"))
    .filter(([origin]) => origin === "Debian");
  const first = (/** @type {string} */ label) =>
    sources
      .filter((source) => source[1] === label)
      .map((source) => plainUri(source[2] ?? "", read))
      .find((uri) => uri !== undefined);
  return { main: first("Debian"), security: first("Debian-Security") };
}

/**
 * An address that mmdebstrap can fetch from and that may be written into an image: http or https, no credentials.
 *
 * @param {string} uri
 * @param {(file: string) => string} read
 * @returns {string | undefined}
 */
function plainUri(uri, read) {
  if (uri.startsWith("mirror+file:")) {
    const line = read(uri.slice("mirror+file:".length).replace(/\/$/, ""))
      .split("\n")
      .find((text) => /^https?:/.test(text));
    return line === undefined ? undefined : plainUri(line.split(/\s/)[0] ?? "", read);
  }
  if (!/^https?:/.test(uri) || !URL.canParse(uri)) return undefined;
  const url = new URL(uri);
  url.username = url.password = "";
  return url.href.replace(/\/$/, "");
}

/**
 * The proxies that apt uses, as the variables that wget, apt and the classic builder understand. They are used while
 * building and stay in no image.
 *
 * @returns {Promise<Record<string, string>>}
 */
export async function aptProxies() {
  const proxies = { http_proxy: "Acquire::http::Proxy", https_proxy: "Acquire::https::Proxy" };
  /** @type {Record<string, string>} */
  const found = {};
  for (const [variable, key] of Object.entries(proxies)) {
    const value = (await aptSetting(key)) ?? process.env[variable];
    if (value !== undefined && value !== "" && value !== "DIRECT") found[variable] = value;
  }
  if (process.env.no_proxy) found.no_proxy = process.env.no_proxy;
  return found;
}

/**
 * @param {string} key such as Acquire::https::CaInfo
 * @returns {Promise<string | undefined>}
 */
export async function aptSetting(key) {
  try {
    const lines = await capture("apt-config", ["dump", "--format", "%f=%v%n", key]);
    return lines
      .split("\n")
      .find((line) => line.toLowerCase().startsWith(`${key.toLowerCase()}=`))
      ?.slice(key.length + 1);
  } catch (error) {
    if (error instanceof CommandError) return undefined;
    throw error;
  }
}
