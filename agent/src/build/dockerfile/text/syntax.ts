import { quoted, refused } from "./refusal.ts";

const OFFICIAL = /^(?:docker\.io\/)?docker\/dockerfile(?::(?:latest|1(?:[.-][\w.-]+)?))?(?:@sha256:[0-9a-f]{64})?$/;

/**
 * A front end is a program of somebody's inside the builder that all owners share. The official one is the engine's own
 * reader, so its line is dropped. @throws SvcError build_failed
 */
export function requireOfficialSyntax(syntax: string | undefined): void {
  const [name = ""] = syntax?.split(" ") ?? [];
  if (syntax === undefined || OFFICIAL.test(name)) return;
  throw refused(
    { line: 1, name: "# syntax" },
    `${quoted(name)} is not permitted: Dockerfiles are read by the builder itself, which is docker/dockerfile:1. ` +
      "Remove the line, or name docker/dockerfile:1.",
  );
}
