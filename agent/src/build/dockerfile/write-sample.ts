import { planAdditions } from "./additions.ts";
import { canonicalText, type CanonicalText } from "./canonical-text.ts";
import { readDockerfile, type BuildFacts } from "./stages.ts";

/** A build that its tests assume: of a builder without heredocs, on amd64. */
export const FACTS: BuildFacts = {
  hasHeredocs: false,
  platform: { os: "linux", architecture: "amd64" },
  buildArgs: {},
};

/** Reads and writes a Dockerfile of a test as a build does. @throws SvcError when it is refused */
export function writeSample(text: string, facts: Partial<BuildFacts> = {}): CanonicalText {
  const all = { ...FACTS, ...facts };
  const dockerfile = readDockerfile(text, all);
  const additions = planAdditions(dockerfile, all, () => []);
  const fetched = { image: "svc/fetched:1", pathOf: () => "/0/f" };
  return canonicalText(dockerfile, { additions, salt: "salt", fetched, resolveImage: (image) => image.full });
}
