import { TestRunner } from "vitest";
import type { PROMISES } from "../../promises.ts";

type Promises = typeof PROMISES;
type Words<Section extends keyof Promises> = Promises[Section][number];

declare module "vitest" {
  interface TaskMeta {
    /** The promises that the test shows, as `section: words`. */
    promises?: readonly string[];
  }
}

/** Marks the test that runs as one that shows that these promises, lines of test/promises.ts, are kept. */
export function promise<Section extends keyof Promises>(
  section: Section,
  ...words: readonly [Words<Section>, ...Words<Section>[]]
): void {
  const test = TestRunner.getCurrentTest();
  if (!test) throw new Error("promise() is called outside of a test. Call it in the test that shows what it names.");
  const { meta } = test;
  meta.promises = [...(meta.promises ?? []), ...words.map((line) => `${section}: ${line}`)];
}
