import { Buffer } from "node:buffer";

/** Ten thousand entries of an owner, each as large as that, are 40 MB. */
export const AUDIT_DETAIL_BYTES_MAX = 4_096;

/** How much is kept of each list and text: the second when the first is still too large. */
const CUTS = [
  { items: 50, characters: 500 },
  { items: 10, characters: 100 },
] as const;

/**
 * Returns the detail of an audit entry as JSON of at most AUDIT_DETAIL_BYTES_MAX bytes. A long list is cut to its first items, and
 * ends with a text that says how many more there were, so that it reads well where its items are joined by commas.
 */
export function boundedDetail(detail: Readonly<Record<string, unknown>>): string {
  for (const cut of CUTS) {
    const json = JSON.stringify(detail, (_key, value: unknown) => shortened(value, cut));
    if (Buffer.byteLength(json) <= AUDIT_DETAIL_BYTES_MAX) return json;
  }
  return JSON.stringify({ left_out: "The detail was too large to be kept." });
}

function shortened(value: unknown, { items, characters }: (typeof CUTS)[number]): unknown {
  if (Array.isArray(value) && value.length > items) {
    return [...(value as unknown[]).slice(0, items), `and ${value.length - items} more`];
  }
  // PostgreSQL refuses half a surrogate pair in JSON.
  if (typeof value === "string" && value.length > characters) return `${value.slice(0, characters).toWellFormed()}…`;
  return value;
}
