import { posix } from "node:path";
import { SvcError } from "../errors.ts";
import type { DeploySpec } from "./deploy-spec.ts";

/** The folder of a repository that is built, and the spec file that counts for it. */
export interface AppFolder<File> {
  /** Empty for the repository's top. */
  root: string;
  file: File | undefined;
}

/**
 * The root that was set for the app, else the one that the spec file at the top names. The spec file in the root wins over the
 * one at the top, as a whole.
 *
 * @param read the spec file of a folder of the repository
 * @param given undefined when none was set for the app
 * @throws SvcError invalid_request for a spec file in the root that names another
 */
export function chooseAppFolder<File extends { file: string; spec: DeploySpec }>(
  read: (folder: string) => File | undefined,
  given: string | undefined,
): AppFolder<File> {
  const inGiven = given === undefined ? undefined : read(given);
  const atTop = inGiven ?? read("");
  const root = given ?? atTop?.spec.root ?? "";
  const inRoot = inGiven ?? (root === "" ? undefined : read(root));
  if (root !== "" && inRoot?.spec.root !== undefined) {
    const path = posix.join(root, posix.basename(inRoot.file));
    throw new SvcError(
      "invalid_request",
      `${path} gives \`root\`, but it lies in the folder that is built already. Remove it there: only the spec file at the ` +
        "repository's top can name the folder.",
    );
  }
  return { root, file: inRoot ?? atTop };
}
