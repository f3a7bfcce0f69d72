import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { BASE_IMAGES } from "@svc/shared/frameworks/base-images.ts";
import type { Files } from "../doubles/git-host.ts";

const run = promisify(execFile);

/** One real app per framework, in test/fixtures/apps, made as its framework's own tool makes it. */
export interface FrameworkFixture {
  /** A folder of test/fixtures/apps. */
  fixture: string;
  /** The `framework` that has to be recognised; the fixture's name unless told otherwise. */
  framework?: string;
  /** One line of one file, before and after. */
  change: { file: string; from: string; to: string };
  /** Where the app is asked. */
  path: string;
  /** The text that the answer holds; a value that only the running code, or its build, can give. */
  expected: string | RegExp;
  expectedAfter: string | RegExp;
}

export const NODE_FIXTURES: readonly FrameworkFixture[] = [
  {
    fixture: "express",
    change: { file: "routes/users.js", from: "6 * 7", to: "6 * 8" },
    path: "/users",
    expected: "respond with a resource 42",
    expectedAfter: "respond with a resource 48",
  },
  {
    fixture: "fastify",
    change: { file: "routes/root.js", from: "6 * 7", to: "6 * 8" },
    path: "/",
    expected: '"greeting":"fastify 42"',
    expectedAfter: '"greeting":"fastify 48"',
  },
  {
    fixture: "hono",
    change: { file: "src/index.ts", from: "6 * 7", to: "6 * 8" },
    path: "/",
    expected: "Hello Hono 42!",
    expectedAfter: "Hello Hono 48!",
  },
  {
    fixture: "static",
    change: { file: "index.html", from: "First edition", to: "Second edition" },
    path: "/",
    expected: "First edition",
    expectedAfter: "Second edition",
  },
  {
    fixture: "vite",
    change: { file: "index.html", from: "built for", to: "made for" },
    path: "/some/page",
    expected: 'content="built for production"',
    expectedAfter: 'content="made for production"',
  },
  {
    fixture: "astro",
    change: { file: "src/pages/index.astro", from: "6 * 7", to: "6 * 8" },
    path: "/",
    expected: "Astro says 42",
    expectedAfter: "Astro says 48",
  },
  {
    fixture: "astro-server",
    framework: "astro",
    change: { file: "src/pages/index.astro", from: "n * 7", to: "n * 8" },
    path: "/?n=6",
    expected: "Astro says 42",
    expectedAfter: "Astro says 48",
  },
  {
    fixture: "remix",
    change: { file: "app/routes/home.tsx", from: "n * 7", to: "n * 8" },
    path: "/?n=6",
    expected: "The loader says 42.",
    expectedAfter: "The loader says 48.",
  },
  {
    fixture: "nuxt",
    change: { file: "app/app.vue", from: "40 + 2", to: "40 + 8" },
    path: "/",
    expected: "The sum is 42, and the server says nuxt.",
    expectedAfter: "The sum is 48, and the server says nuxt.",
  },
  {
    fixture: "nextjs",
    change: { file: "app/api/sum/route.ts", from: 'const word = "next"', to: 'const word = "changed"' },
    path: "/api/sum?n=40&n=2",
    expected: '{"word":"NEXT","sum":42}',
    expectedAfter: '{"word":"CHANGED","sum":42}',
  },
];

export const LANGUAGE_FIXTURES: readonly FrameworkFixture[] = [
  {
    fixture: "fastapi",
    change: { file: "main.py", from: "6 * 7", to: "6 * 8" },
    path: "/",
    expected: '"answer":42',
    expectedAfter: '"answer":48',
  },
  {
    fixture: "django",
    change: { file: "mysite/urls.py", from: "6 * 7", to: "6 * 8" },
    path: "/",
    // The name of a static file ends in a hash only when files were collected while building.
    expected: /The answer is 42; styles are at \/static\/admin\/css\/base\.[0-9a-f]{12}\.css/,
    expectedAfter: "The answer is 48",
  },
  {
    fixture: "flask",
    change: { file: "app/templates/index.html", from: "The answer is", to: "Changed to" },
    path: "/",
    expected: "The answer is 42.",
    expectedAfter: "Changed to 42.",
  },
  {
    fixture: "go",
    change: { file: "main.go", from: "6*7", to: "6*8" },
    path: "/",
    expected: "the answer is 42",
    expectedAfter: "the answer is 48",
  },
  {
    fixture: "rust",
    change: { file: "src/main.rs", from: "6 * 7", to: "6 * 8" },
    path: "/",
    expected: "the answer is 42",
    expectedAfter: "the answer is 48",
  },
  {
    fixture: "rails",
    change: { file: "app/controllers/answers_controller.rb", from: "6 * 7", to: "6 * 8" },
    path: "/",
    expected: "The answer is 42.",
    expectedAfter: "The answer is 48.",
  },
];

export const FRAMEWORK_FIXTURES: readonly FrameworkFixture[] = [...NODE_FIXTURES, ...LANGUAGE_FIXTURES];

/** Folders of test/fixtures with repositories. */
type FixtureKind = "apps" | "managers" | "workspaces";

/** With a `/` at the end. */
export function fixtureFolder(name: string, kind: FixtureKind = "apps"): string {
  return new URL(`../../fixtures/${kind}/${name}/`, import.meta.url).pathname;
}

/** A folder of test/fixtures, as it would be in a repository. */
export function readFixture(name: string, kind: FixtureKind = "apps"): Files {
  const root = fixtureFolder(name, kind);
  const files: Record<string, Buffer> = {};
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.parentPath.split("/").includes("node_modules")) continue;
    const path = join(entry.parentPath, entry.name);
    files[path.slice(root.length)] = readFileSync(path);
  }
  return files;
}

/**
 * The same, with a Gemfile.lock where there is a Gemfile: what Debian's Ruby brings with it changes with Debian's
 * security updates, and a lock may name nothing else.
 */
export async function lockedFixture(name: string): Promise<Files> {
  const files = readFixture(name);
  if (files["Gemfile"] === undefined) return files;
  const script = "cp /app/Gemfile . && bundle lock --local >&2 && cat Gemfile.lock";
  const container = ["--rm", "--network", "none", "--workdir", "/tmp", "--volume", `${fixtureFolder(name)}:/app:ro`];
  const { stdout } = await run("docker", ["run", ...container, BASE_IMAGES.ruby, "sh", "-c", script]);
  return { ...files, "Gemfile.lock": stdout };
}

/** The file with its change. */
export function changedFile(
  files: Files,
  { file, from, to }: FrameworkFixture["change"],
): Readonly<Record<string, string>> {
  const before = String(files[file]);
  if (!before.includes(from)) throw new Error(`${file} does not hold ${from}`);
  return { [file]: before.replace(from, () => to) };
}

export function holds(body: string, expected: string | RegExp): boolean {
  return typeof expected === "string" ? body.includes(expected) : expected.test(body);
}
