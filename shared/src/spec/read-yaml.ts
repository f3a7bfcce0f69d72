import { isMap, isScalar, isSeq, parseDocument, type Document, type Node, type Pair, type YAMLError } from "yaml";
import {
  DEPTH_MAX,
  repeatedKeys,
  saysNothing,
  type Found,
  type Located,
  type LocatedEntry,
  type Path,
  type ReadText,
} from "./located.ts";
import { isSpecVersion, SPEC_VERSIONS } from "./schema.ts";

/** The first line of the YAML form, with the version behind it. */
const MARKER = "# spec: ";

/** Reads YAML 1.2 with its core schema, as far as a spec file may use it: no anchors, aliases or tags. */
export function readYaml(text: string): ReadText {
  const marker = firstLineProblem(text);
  const version = versionOf(text) ?? SPEC_VERSIONS[0];
  const document = parse(text);
  if (document === undefined) {
    return {
      root: undefined,
      version,
      found: [...marker, { offset: 0, path: [], message: "is not YAML that can be read." }],
    };
  }
  // Unknown tags, of which the library only warns, are refused below.
  const found = [...marker, ...ownErrors(document.errors).map(syntaxProblem)];
  if (document.errors.length > 0) return { root: undefined, version, found };
  if (document.contents === null) return { root: undefined, version, found: [...found, saysNothing(text.length)] };
  return { root: locate(document.contents, [], found), version, found };
}

function firstLineOf(text: string): string {
  return text.split("\n", 1)[0]!.trimEnd();
}

function versionOf(text: string) {
  const line = firstLineOf(text);
  const version = line.startsWith(MARKER) ? line.slice(MARKER.length) : undefined;
  return isSpecVersion(version) ? version : undefined;
}

const FIRST_LINES = SPEC_VERSIONS.map((version) => `\`${MARKER}${version}\``);

function firstLineProblem(text: string): Found[] {
  if (versionOf(text) !== undefined) return [];
  const line = firstLineOf(text);
  const other = /^#\s*spec:\s*(\S.{0,40})$/.exec(line)?.[1];
  const message =
    other === undefined
      ? `the first line must be exactly ${FIRST_LINES.join(" or ")}.`
      : `the first line says ${JSON.stringify(other)}; only ${FIRST_LINES.join(" and ")} are known, written exactly so.`;
  return [{ offset: 0, path: [], message }];
}

function parse(text: string): Document.Parsed | undefined {
  try {
    // Names given twice are looked for once the tree is there: the library compares each with every other.
    return parseDocument(text, { schema: "core", prettyErrors: false, uniqueKeys: false, logLevel: "error" });
  } catch {
    return undefined;
  }
}

/** Explains in our own words what people meet often. */
const SYNTAX_MESSAGES: Partial<Record<YAMLError["code"], string>> = {
  MULTIPLE_DOCS: "a second document begins here (`---`); one is allowed.",
  RESOURCE_EXHAUSTION: "is nested too deeply.",
  TAB_AS_INDENT: "a tab indents this line; YAML allows spaces only.",
  BLOCK_AS_IMPLICIT_KEY: "a second `:` for one name: put the value in quotes, or give both lines the same indentation.",
};

/**
 * Returns errors of their own: for a text that is nested too deeply the library complains at every level that it
 * leaves.
 */
function ownErrors(errors: readonly YAMLError[]): readonly YAMLError[] {
  const exhausted = errors.find(({ code }) => code === "RESOURCE_EXHAUSTION");
  return exhausted ? [exhausted] : errors;
}

function syntaxProblem(error: YAMLError): Found {
  const message = SYNTAX_MESSAGES[error.code] ?? `is not YAML: ${error.message.split("\n", 1)[0]!.slice(0, 200)}.`;
  return { offset: error.pos[0], path: [], message };
}

function locate(node: unknown, path: Path, found: Found[]): Located {
  const offset = offsetOf(node);
  const refused = refusal(node, path);
  if (refused !== undefined) {
    found.push({ offset, path, message: refused });
    return { kind: "scalar", offset, value: null };
  }
  if (isMap(node)) {
    const entries = node.items.flatMap((pair) => entryOf(pair, path, found));
    found.push(...repeatedKeys(entries, path));
    return { kind: "map", offset, entries };
  }
  if (isSeq(node)) {
    return { kind: "list", offset, items: node.items.map((item, index) => locate(item, [...path, index], found)) };
  }
  return { kind: "scalar", offset, value: isScalar(node) ? scalarValue(node.value) : null };
}

function refusal(node: unknown, path: Path): string | undefined {
  if (path.length > DEPTH_MAX) return "is nested too deeply.";
  const isCollection = isMap(node) || isSeq(node);
  const isValue = isCollection || isScalar(node);
  if (!isValue && node !== null) return "aliases (`*name`) are not allowed: write the value again.";
  if (isValue && node.anchor !== undefined) return "anchors (`&name`) are not allowed: write the value alone.";
  // A spec file says what it means without them.
  if (isValue && node.tag !== undefined) return "tags (`!name`) are not allowed: write the value alone.";
  return undefined;
}

function entryOf(pair: Pair, path: Path, found: Found[]): LocatedEntry[] {
  const { key, value } = pair;
  const keyOffset = offsetOf(key);
  if (!isScalar(key) || key.anchor !== undefined || !["string", "number", "boolean"].includes(typeof key.value)) {
    found.push({ offset: keyOffset, path, message: "a name must be a plain text here." });
    return [];
  }
  // `1:` and `true:` are names as they are written.
  const name = typeof key.value === "string" ? key.value : (key.source ?? String(key.value));
  return [{ key: name, keyOffset, value: locateValue(value, keyOffset, [...path, name], found) }];
}

/** A name without a value (`port:`) has no place of its own. */
function locateValue(value: unknown, keyOffset: number, path: Path, found: Found[]): Located {
  return value === null ? { kind: "scalar", offset: keyOffset, value: null } : locate(value, path, found);
}

function scalarValue(value: unknown): string | number | boolean | null {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : null;
}

function offsetOf(node: unknown): number {
  return (node as Node | null)?.range?.[0] ?? 0;
}
