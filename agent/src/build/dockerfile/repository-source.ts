import { SvcError } from "@svc/shared/errors.ts";
import { parseRepositoryUrl } from "@svc/shared/rules/repository-url.ts";
import { refProblem } from "@svc/shared/rules/git-ref.ts";
import { quoted, refused, type Place } from "./text/refusal.ts";

/** A git repository that an ADD names: `https://host/owner/name.git#ref:folder`. */
export interface RepositorySource {
  url: URL;
  /** Branch, tag or SHA; undefined for the default branch. */
  ref: string | undefined;
  /** Its parts; none for the whole repository. */
  folder: readonly string[];
}

const EXAMPLE = "as in https://host/owner/name.git#branch:folder";

/**
 * Reads an http or https address that holds neither a name nor a password.
 * @throws SvcError build_failed
 */
export function readRepositorySource(source: string, place: Place): RepositorySource {
  const [, address = source, fragment = ""] = /^([^#]*)#?([^]*)$/.exec(source) ?? [];
  if (address.includes("?"))
    throw refused(place, `its git address has a query. Name branch and folder behind a #, ${EXAMPLE}.`);
  if (fragment.startsWith("#"))
    throw refused(place, `its git address has a ##. Name branch and folder behind one #, ${EXAMPLE}.`);
  // BuildKit, too, decodes before it splits.
  const [ref = "", ...folder] = decoded(fragment, place).split(":");
  return { url: urlOf(address, place), ref: refOf(ref, place), folder: folderOf(folder.join(":"), place) };
}

function decoded(fragment: string, place: Place): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    throw refused(place, `${quoted(`#${fragment}`)} holds a % that encodes nothing. Write it as %25.`);
  }
}

function urlOf(address: string, place: Place): URL {
  try {
    return parseRepositoryUrl(address, "its address");
  } catch (error) {
    throw error instanceof SvcError ? refused(place, error.message) : error;
  }
}

function refOf(ref: string, place: Place): string | undefined {
  if (ref === "") return undefined;
  const problem = refProblem(ref);
  if (problem === undefined) return ref;
  throw refused(place, `${quoted(ref)} cannot be a branch, tag or commit: it ${problem}.`);
}

function folderOf(folder: string, place: Place): string[] {
  const parts = folder.split("/").filter((part) => part !== "" && part !== ".");
  if (!parts.includes("..") && !folder.includes("\0")) return parts;
  throw refused(place, `${quoted(folder)} is no folder inside the repository. Name one of its own, ${EXAMPLE}.`);
}
