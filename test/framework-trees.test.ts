import { SvcError } from "@svc/shared/errors.ts";
import { planBuild } from "@svc/shared/frameworks/plan-build.ts";
import { describe, expect, test } from "vitest";
import { NEXTJS_TREES } from "./fixtures/trees/01-nextjs.ts";
import { NUXT_TREES, REMIX_TREES } from "./fixtures/trees/02-remix-nuxt.ts";
import { ASTRO_TREES, VITE_TREES } from "./fixtures/trees/03-astro-vite.ts";
import { fileTree, type RepositoryTree } from "./fixtures/trees/tree.ts";

/*
 * Repositories as people have them, written without a look at how detection works: each is named as a person would name
 * it, or refused where a person could not tell either.
 */
const GROUPS: Readonly<Record<string, readonly RepositoryTree[]>> = {
  "Next.js": NEXTJS_TREES,
  "Remix and React Router": REMIX_TREES,
  Nuxt: NUXT_TREES,
  Astro: ASTRO_TREES,
  Vite: VITE_TREES,
};

const input = {
  appId: "0190f0a0-0000-7000-8000-000000000001",
  port: undefined,
  buildEnvKeys: [],
  build: undefined,
  start: undefined,
};

/** The framework's name, or the sentence of the refusal: so that a failure shows what was said instead. */
function verdict(files: RepositoryTree["files"]): string {
  try {
    return planBuild(fileTree(files), undefined, input).framework;
  } catch (error) {
    if (error instanceof SvcError && error.code === "framework_unknown") return `refused: ${error.message}`;
    throw error;
  }
}

/** The test's name; the whole title, which placeholders of objects would cut. */
function named({ title, expects }: RepositoryTree): string {
  return `${title} ${typeof expects === "string" ? `is ${expects}` : "is refused"}`;
}

describe.each(Object.entries(GROUPS))("%s", (_group, trees) => {
  test.each(trees.map((tree) => [named(tree), tree] as const))("%s", (_name, { expects, files }) => {
    const said = verdict(files);
    if (typeof expects !== "string") {
      expect(said).toMatch(/^refused: /);
      expect(said).toMatch(expects);
      return;
    }
    expect(said).toBe(expects);
    const { reason, dockerfile } = planBuild(fileTree(files), undefined, input);
    expect(reason).not.toBe("");
    expect("text" in dockerfile ? dockerfile.text : files[dockerfile.path]).toMatch(/^FROM /m);
  });
});

test("no two trees have the same title", () => {
  const titles = Object.values(GROUPS).flatMap((trees) => trees.map((tree) => tree.title));
  expect(titles.filter((title, i) => titles.indexOf(title) !== i)).toEqual([]);
});
