import type { SyntaxNode } from "@lezer/common";

/**
 * The value of a setting in a configuration:
 * - `absent`: nothing, so that the tool's default holds
 * - `literal`: this value, on every way through the file
 * - `other`: something that only running the file can tell
 * - `unknown`: the file can't be parsed
 */
export type Setting =
  { kind: "absent" } | { kind: "literal"; value: string | boolean } | { kind: "other" } | { kind: "unknown" };

/** A setting, with the expression that it was found as. `undefined` is the value of a variable by itself alone. */
export type Found =
  { kind: "absent" } | { kind: "literal"; value: string | boolean } | { kind: "other"; node?: SyntaxNode };

export const ABSENT = { kind: "absent" } as const;
export const OTHER = { kind: "other" } as const;

/** Returns what holds whichever of them is taken. */
export function allOf(found: readonly Found[]): Found {
  const [first, ...rest] = found;
  if (first === undefined) return ABSENT;
  const areSame = rest.every(
    (one) =>
      one.kind === first.kind && (one.kind !== "literal" || (first.kind === "literal" && one.value === first.value)),
  );
  if (!areSame) return OTHER;
  return rest.length > 0 && first.kind === "other" ? OTHER : first;
}

export function withoutNode(found: Found): Setting {
  return found.kind === "other" ? OTHER : found;
}
