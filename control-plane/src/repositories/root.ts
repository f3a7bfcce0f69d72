import { ROOT_RULE, rootFolder } from "@svc/shared/rules/root-folder.ts";
import { invalid, quoted } from "../platform/invalid.ts";

/**
 * @returns the folder as git names it; null for the repository's top
 * @throws SvcError invalid_request
 */
export function checkRoot(value: string): string | null {
  const root = rootFolder(value);
  if (root === undefined) throw invalid(`The root ${quoted(value)} is not allowed: give ${ROOT_RULE}.`);
  return root === "" ? null : root;
}
