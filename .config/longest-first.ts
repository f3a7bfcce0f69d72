import { existsSync } from "node:fs";
import { join } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files of minutes. Begun last, one would run alone while a processor is idle. */
const LONGEST = [
  "test/e2e/frameworks-node.test.ts",
  "test/e2e/frameworks-lang.test.ts",
  "test/e2e/ordinary-repositories.test.ts",
  "test/e2e/template.test.ts",
  "test/e2e/young-releases.test.ts",
  "test/e2e/package-managers.test.ts",
  "test/integration/build/caches.test.ts",
  "test/integration/engine/engine.docker.test.ts",
  "test/integration/deploys/link-cut.test.ts",
  "test/integration/assistant/injections.test.ts",
  "test/browser/truth.test.ts",
  "test/browser/sizes.test.ts",
];

const gone = LONGEST.find((file) => !existsSync(join(import.meta.dirname, "..", file)));
if (gone !== undefined) throw new Error(`${gone} is not there: take it out of LONGEST, or write its new name.`);

/** Runs the longest files of each project first; a clean clone knows no times, and Vitest then goes by the files' sizes. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const places = new Map(sorted.map(({ project }, place) => [project, place]));
    const rankOf = ({ moduleId }: TestSpecification) => {
      const rank = LONGEST.findIndex((file) => moduleId.endsWith(`/${file}`));
      return rank === -1 ? LONGEST.length : rank;
    };
    return sorted.toSorted((a, b) => places.get(a.project)! - places.get(b.project)! || rankOf(a) - rankOf(b));
  }
}
