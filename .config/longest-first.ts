import { existsSync } from "node:fs";
import { join } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Files of minutes. Begun last, one would run alone while a processor is idle. Of those of whole deploys, the ones that build all
 * the time have beside them what mostly waits.
 */
const LONGEST = [
  "test/e2e/frameworks-node.test.ts",
  "test/e2e/young-releases.test.ts",
  "test/faults/young-releases.test.ts",
  "test/faults/host.test.ts",
  "test/e2e/frameworks-lang.test.ts",
  "test/e2e/bad-input.test.ts",
  "test/e2e/lost-identity.test.ts",
  "test/e2e/app-life.test.ts",
  "test/e2e/ordinary-repositories.test.ts",
  "test/faults/restarts.test.ts",
  "test/faults/account-cut-off.test.ts",
  "test/e2e/template.test.ts",
  "test/faults/sign-in-cut-off.test.ts",
  "test/faults/actions-cut-off.test.ts",
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
