import { SvcError } from "@svc/shared/errors.ts";
import { planBuild } from "@svc/shared/frameworks/plan-build.ts";
import { describe, expect, test } from "vitest";
import { NEXTJS_TREES } from "./fixtures/trees/01-nextjs.ts";
import { NUXT_TREES, REMIX_TREES } from "./fixtures/trees/02-remix-nuxt.ts";
import { ASTRO_TREES, VITE_TREES } from "./fixtures/trees/03-astro-vite.ts";
import { EXPRESS_TREES } from "./fixtures/trees/04-express.ts";
import { FASTIFY_TREES, HONO_TREES } from "./fixtures/trees/05-hono-fastify.ts";
import { NODE_TREES } from "./fixtures/trees/06-other-node.ts";
import { BUILT_SITES_TREES } from "./fixtures/trees/07-built-sites.ts";
import { MONOREPO_TREES } from "./fixtures/trees/08-monorepos.ts";
import { DJANGO_TREES, FASTAPI_TREES, FLASK_TREES, OTHER_PYTHON_TREES } from "./fixtures/trees/09-python.ts";
import { GO_TREES, RAILS_TREES, RUST_TREES } from "./fixtures/trees/10-go-rust-rails.ts";
import { DOCKERFILE_TREES, REFUSED_TREES, STATIC_TREES } from "./fixtures/trees/11-static-docker-none.ts";
import { FIFTEEN, fileTree, type FrameworkName, type RepositoryTree } from "./fixtures/trees/tree.ts";

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
  Express: EXPRESS_TREES,
  Hono: HONO_TREES,
  Fastify: FASTIFY_TREES,
  "other servers on Node.js": NODE_TREES,
  "sites that are built, and what is no server": BUILT_SITES_TREES,
  monorepos: MONOREPO_TREES,
  FastAPI: FASTAPI_TREES,
  Django: DJANGO_TREES,
  Flask: FLASK_TREES,
  "other Python": OTHER_PYTHON_TREES,
  Go: GO_TREES,
  Rust: RUST_TREES,
  "Ruby on Rails": RAILS_TREES,
  static: STATIC_TREES,
  Dockerfile: DOCKERFILE_TREES,
  "none of these": REFUSED_TREES,
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

const all = Object.values(GROUPS).flat();

test("no two trees have the same title", () => {
  const titles = all.map((tree) => tree.title);
  expect(titles.filter((title, i) => titles.indexOf(title) !== i)).toEqual([]);
});

/** Issue 4: at least 60 trees; here over all frameworks, so that none is judged by its fixture alone. */
test("each of the fifteen is expected of at least four trees, and a refusal of at least twenty", () => {
  const count = (expected: FrameworkName | "refusal") =>
    all.filter(({ expects }) => (typeof expects === "string" ? expects : "refusal") === expected).length;
  expect(FIFTEEN.filter((name) => count(name) < 4)).toEqual([]);
  expect(count("refusal")).toBeGreaterThanOrEqual(20);
});
