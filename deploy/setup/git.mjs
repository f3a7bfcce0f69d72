import { installPackages } from "./apt.mjs";
import { findProgram } from "./run.mjs";

/** Makes sure that git is installed, with which the agent fetches what it builds. @throws {import("./terminal.mjs").SetupError} */
export async function ensureGit() {
  if (findProgram("git") === undefined) await installPackages(["git"], "git, with which apps are fetched");
}
