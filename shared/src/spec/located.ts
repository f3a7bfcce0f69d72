import type { SpecVersion } from "./schema.ts";

/** A value as it was written: what it is, and where. Offsets count UTF-16 units from the text's start. */
export type Located =
  | { kind: "scalar"; offset: number; value: string | number | boolean | null }
  | { kind: "list"; offset: number; items: readonly Located[] }
  | { kind: "map"; offset: number; entries: readonly LocatedEntry[] };

export interface LocatedEntry {
  key: string;
  keyOffset: number;
  value: Located;
}

export type Path = readonly (string | number)[];

/** Something wrong at a place. */
export interface Found {
  offset: number;
  path: Path;
  /** The mistake, and what is allowed. */
  message: string;
}

/** The result of reading a text. A text that is no document at all has no root. */
export interface ReadText {
  root: Located | undefined;
  /** That it is said to be of; the first when it says none. */
  version: SpecVersion;
  found: Found[];
}

/** Deeper than any spec file: three levels hold everything that it can say. */
export const DEPTH_MAX = 16;

/** The value without its places, as a schema takes it. */
export function plainValue(node: Located): unknown {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "list") return node.items.map(plainValue);
  // Defined and not assigned, so that `__proto__` is a property as any other.
  return Object.defineProperties(
    {},
    Object.fromEntries(
      node.entries.map(({ key, value }) => [
        key,
        { value: plainValue(value), enumerable: true, configurable: true, writable: true },
      ]),
    ),
  );
}

/** Where the value at the path is written; where its nearest parent is, when it is not there at all. */
export function offsetOfValue(root: Located, path: Path): number {
  let node = root;
  for (const step of path) {
    const next = child(node, step);
    if (next === undefined) break;
    node = next;
  }
  return node.offset;
}

/** Where the last name of the path is written as a key. */
export function offsetOfKey(root: Located, path: Path): number {
  let parent: Located | undefined = root;
  for (const step of path.slice(0, -1)) parent = parent && child(parent, step);
  const entry = parent?.kind === "map" ? parent.entries.find(({ key }) => key === path.at(-1)) : undefined;
  return entry?.keyOffset ?? offsetOfValue(root, path);
}

function child(node: Located, step: string | number): Located | undefined {
  if (node.kind === "list" && typeof step === "number") return node.items[step];
  if (node.kind === "map") return node.entries.find(({ key }) => key === step)?.value;
  return undefined;
}

/** One problem for each name that was given before. */
export function repeatedKeys(entries: readonly LocatedEntry[], path: Path): Found[] {
  const seen = new Set<string>();
  return entries.flatMap(({ key, keyOffset }) => {
    const isRepeated = seen.has(key);
    seen.add(key);
    return isRepeated
      ? [{ offset: keyOffset, path: [...path, key], message: "is given twice: keep one of them." }]
      : [];
  });
}

export function saysNothing(offset: number): Found {
  return { offset, path: ["name"], message: "is missing: the file says nothing." };
}
