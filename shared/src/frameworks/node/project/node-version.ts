import type { FileTree } from "../../repository/file-tree.ts";
import type { NodePackage } from "./node-package.ts";

/** Majors that there is a base image for (deploy/base-images/node), oldest first. */
export const NODE_MAJORS = [20, 22, 24] as const;

/** The version that most frameworks ask for today, and that every host has. */
const DEFAULT_MAJOR = 22;

export interface NodeVersion {
  major: number;
  /** Where the repository says it, for the step's output; undefined when it says nothing. */
  from: string | undefined;
  /** A sentence about a version that cannot be had. */
  note: string | undefined;
}

/** Finds the version that the repository asks for, in the order in which hosts and version managers honour it. */
export function nodeVersion(files: FileTree, pkg: NodePackage | undefined): NodeVersion {
  const wish = wishes(files, pkg)[0];
  if (wish === undefined) return { major: DEFAULT_MAJOR, from: undefined, note: undefined };
  const { from, range } = wish;
  const allowed = NODE_MAJORS.filter((major) => allowsMajor(range, major));
  const major = allowed.find((one) => one === DEFAULT_MAJOR) ?? allowed.at(-1);
  if (major !== undefined) return { major, from, note: undefined };
  const asked = `\`${from}\` asks for Node ${range.slice(0, WISH_CHARACTERS_SHOWN)}`;
  const offered = `offered are ${NODE_MAJORS.join(", ")}`;
  return {
    major: DEFAULT_MAJOR,
    from,
    note: `${asked}; ${offered}, so it is built and run with Node ${DEFAULT_MAJOR}.`,
  };
}

/** A file may hold anything; this much of it tells a person what is meant. */
const WISH_CHARACTERS_SHOWN = 50;

function wishes(files: FileTree, pkg: NodePackage | undefined): { from: string; range: string }[] {
  const sources = [
    { from: "engines.node", range: pkg?.engines?.node },
    { from: ".nvmrc", range: files.read(".nvmrc") },
    { from: ".node-version", range: files.read(".node-version") },
  ];
  return sources.flatMap(({ from, range }) => {
    const text = range?.trim() ?? "";
    return text === "" ? [] : [{ from, range: text }];
  });
}

/** A person's range has some 20; a longer one is not worth a note. */
const RANGE_CHARACTERS_MAX = 200;

/** Whether some version of the major may satisfy the range, as far as majors tell; unknown words count as any. */
export function allowsMajor(range: string, major: number): boolean {
  if (range.length > RANGE_CHARACTERS_MAX) return true;
  return range.split("||").some((alternative) => {
    const comparators = alternative
      .trim()
      .replaceAll(/\s+-\s+/g, " <=")
      .replaceAll(/([<>=^~])\s+/g, "$1")
      .split(/\s+/)
      .filter(Boolean);
    const isHyphenRange = /\s-\s/.test(alternative.trim());
    return comparators.every((comparator, index) => {
      const match = /^(>=|<=|>|<|\^|~|=)?\s*v?(\d+)(?:\.(\d+))?/.exec(comparator);
      if (!match) return true;
      const [, written, digits, minor] = match;
      const operator = isHyphenRange && index === 0 ? ">=" : written;
      const wanted = Number(digits);
      if (operator === ">=") return major >= wanted;
      if (operator === ">") return minor === undefined ? major > wanted : major >= wanted;
      if (operator === "<=") return major <= wanted;
      if (operator === "<") return minor === undefined || Number(minor) === 0 ? major < wanted : major <= wanted;
      return major === wanted;
    });
  });
}
