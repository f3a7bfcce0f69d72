import { posix } from "node:path";
import type { FileTree } from "../repository/file-tree.ts";

/** The requirements of a file, with those that it includes. */
export interface Requirements {
  /** Names as PyPI compares them (PEP 503). */
  names: readonly string[];
  /** The file itself and the included ones, in the order in which they are read. */
  files: readonly string[];
  /** Whether something in it lies in the repository (`-e .`, `./lib`). */
  needsSources: boolean;
}

/** Where people keep what production needs; the first that exists counts. */
export const REQUIREMENTS_FILES = [
  "requirements.txt",
  "requirements/production.txt",
  "requirements/prod.txt",
  "requirements/base.txt",
] as const;

/** A person's requirements include a handful, whether or not they are there; more would be a loop or an attack. */
const FILES_MAX = 20;

export function readRequirements(files: FileTree, path: string): Requirements {
  const names = new Set<string>();
  const seen: string[] = [];
  const queue = [path];
  let needsSources = false;
  let looked = 0;
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    looked += 1;
    const text = seen.includes(next) ? undefined : files.read(next);
    if (text === undefined) continue;
    seen.push(next);
    for (const line of logicalLines(text)) {
      const included = /^(?:-r|--requirement|-c|--constraint)[\s=]*(\S+)/.exec(line)?.[1];
      if (included !== undefined) {
        if (looked + queue.length < FILES_MAX) queue.push(posix.join(posix.dirname(next), included));
      } else if (isLocal(line)) needsSources = true;
      else if (!line.startsWith("-")) names.add(requirementName(line));
    }
  }
  return { names: [...names].filter((name) => name !== ""), files: seen, needsSources };
}

function logicalLines(text: string): string[] {
  return text
    .replace(/^\ufeff/, "")
    .replaceAll(/\\\r?\n/g, " ")
    .split(/\r?\n/)
    .map((line) => line.replace(/(^|\s)#[^]*$/, "").trim())
    .filter((line) => line !== "");
}

function isLocal(line: string): boolean {
  const target = line.replace(/^(?:-e|--editable)[\s=]*/, "");
  return /^(?:\.|file:)/.test(target) || (target !== line && !/^[\w+]+:/.test(target));
}

/** The name in a requirement (PEP 508), in the form in which names are compared; "" when it has none. */
export function requirementName(requirement: string): string {
  const name = /^\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)/.exec(requirement)?.[1] ?? "";
  return name.toLowerCase().replaceAll(/[-_.]+/g, "-");
}
