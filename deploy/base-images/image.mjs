import { spawn } from "node:child_process";
import { callEngine, EngineError, readProgress } from "../setup/engine.mjs";
import { lastLines } from "../setup/run.mjs";
import { aptProxies } from "./host-apt.mjs";

/** The label of every image that is built here: the version of its recipe. Official images carry none. */
export const VERSION_LABEL = "svc.base-image";

/** The output of a build that is kept; a failed build shows its end. */
const OUTPUT_CHARACTERS_MAX = 64 * 1024;

/**
 * Builds the Dockerfile in a folder. The classic builder is asked for: every engine has it and its output needs no
 * decoding. Steps run in the host's network, so that they reach what the host reaches, a proxy on loopback included.
 *
 * @param {import("./build.mjs").RecipeJob} job
 * @param {string} context the folder
 * @param {Readonly<Record<string, string>>} [args] of the Dockerfile, beside BASE
 */
export async function buildImage(job, context, args = {}) {
  const query = new URLSearchParams({
    version: "1",
    t: job.tag,
    rm: "1",
    forcerm: "1",
    networkmode: "host",
    buildargs: JSON.stringify({ BASE: job.base, ...args, ...(await aptProxies()) }),
    labels: JSON.stringify({ [VERSION_LABEL]: job.version }),
  });
  const files = ["--owner=0", "--group=0", "--numeric-owner", "-C", context, "-c", "."];
  let output = "";
  try {
    const answer = await callEngine("POST", `/build?${query}`, { body: tar(files) });
    for await (const message of readProgress(answer))
      output = (output + (message.stream ?? "")).slice(-OUTPUT_CHARACTERS_MAX);
  } catch (error) {
    if (error instanceof EngineError) throw new EngineError(`${error.message}\n${lastLines(output, 15)}`);
    throw error;
  }
}

/**
 * Makes an image of one layer from a folder that holds a root file system.
 *
 * @param {import("./build.mjs").RecipeJob} job
 * @param {string} root the folder
 * @param {readonly string[]} instructions of a Dockerfile
 */
export async function importImage(job, root, instructions) {
  const [repo, tag] = splitTag(job.tag);
  const query = new URLSearchParams({ fromSrc: "-", repo, tag });
  for (const change of [...instructions, `LABEL ${VERSION_LABEL}=${job.version}`]) query.append("changes", change);
  const answer = await callEngine("POST", `/images/create?${query}`, {
    body: tar(["--numeric-owner", "-C", root, "-c", "."]),
  });
  for await (const message of readProgress(answer)) void message;
}

/**
 * @param {string} name
 * @returns {[string, string]}
 */
function splitTag(name) {
  const colon = name.lastIndexOf(":");
  return colon > name.lastIndexOf("/") ? [name.slice(0, colon), name.slice(colon + 1)] : [name, "latest"];
}

/**
 * Streams what tar writes; an error when it fails, so that half an archive never becomes an image.
 *
 * @param {readonly string[]} args
 */
function tar(args) {
  const child = spawn("tar", args, { stdio: ["ignore", "pipe", "inherit"] });
  child.once("error", (error) => child.stdout.destroy(error));
  child.once("exit", (code) => {
    if (code !== 0) child.stdout.destroy(new Error(`tar ended with status ${code}`));
  });
  return child.stdout;
}
