import { spawn } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";

/** This is enough for any answer that is read here (a list of package sources); what comes before it is dropped. */
const OUTPUT_CHARACTERS_MAX = 256 * 1024;

/** A program that could not be started or ended with another status than 0. */
export class CommandError extends Error {
  /** @override */
  name = "CommandError";

  /**
   * @param {string} command
   * @param {string} reason
   * @param {string} output the end of what it printed; empty when it printed to the terminal
   */
  constructor(command, reason, output) {
    super(`${command} ${reason}${output === "" ? "" : `:\n${output}`}`);
    this.output = output;
  }
}

/**
 * @typedef {object} RunOptions
 * @property {string} [cwd]
 * @property {NodeJS.ProcessEnv} [env] the whole environment; the caller's own by default
 */

/**
 * Runs a program with the terminal's own output (its standard output goes to our standard error, so that a caller's
 * standard output stays clean).
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<void>}
 * @throws {CommandError}
 */
export function run(program, args, options = {}) {
  return finished(
    program,
    args,
    spawn(program, args, { ...options, stdio: ["ignore", process.stderr, "inherit"] }),
    () => "",
  );
}

/**
 * Runs a program and gives what it printed on standard output; standard error appears only in the error.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<string>}
 * @throws {CommandError} with the end of both outputs
 */
export async function capture(program, args, options = {}) {
  const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let both = "";
  child.stdout.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
    stdout = (stdout + text).slice(-OUTPUT_CHARACTERS_MAX);
    both = (both + text).slice(-OUTPUT_CHARACTERS_MAX);
  });
  child.stderr.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
    both = (both + text).slice(-OUTPUT_CHARACTERS_MAX);
  });
  await finished(program, args, child, () => lastLines(both, 25));
  return stdout;
}

/**
 * @param {string} program
 * @param {readonly string[]} args
 * @param {import("node:child_process").ChildProcess} child
 * @param {() => string} output
 * @returns {Promise<void>}
 */
function finished(program, args, child, output) {
  const command = [program, ...args].join(" ");
  return new Promise((resolve, reject) => {
    child.once("error", (error) => reject(new CommandError(command, `could not be started (${error.message})`, "")));
    child.once("close", (code, signal) => {
      if (code === 0) resolve();
      else
        reject(
          new CommandError(command, code === null ? `was ended by ${signal}` : `ended with status ${code}`, output()),
        );
    });
  });
}

/**
 * Where a program is, or undefined. Looks in the system's own folders too: those for administrators are often missing
 * from a user's PATH.
 *
 * @param {string} program
 * @returns {string | undefined}
 */
export function findProgram(program) {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/bin"];
  return folders
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, program))
    .find(isExecutable);
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/**
 * @param {string} text
 * @param {number} count
 */
export function lastLines(text, count) {
  return text.trimEnd().split("\n").slice(-count).join("\n");
}
