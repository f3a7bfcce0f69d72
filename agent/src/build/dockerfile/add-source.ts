export type SourceKind = "file" | "http" | "git" | "other";

/** Classifies the source of an ADD as BuildKit of any version would. */
export function classifySource(source: string): SourceKind {
  if (/^(?:git|ssh):\/\//i.test(source) || /^[\w.-]+@[^/\s]+:/.test(source)) return "git";
  if (/^(?:www\.)?(?:github|gitlab|bitbucket)\.(?:com|org)\//i.test(source)) return "git";
  // The path alone tells, and its case counts.
  if (isWebAddress(source)) return URL.parse(source)?.pathname.endsWith(".git") ? "git" : "http";
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(source) || source.includes("://") ? "other" : "file";
}

export function isWebAddress(source: string): boolean {
  return /^https?:\/\//i.test(source);
}
