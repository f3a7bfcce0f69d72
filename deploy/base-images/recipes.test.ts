import { CLUSTER_IMAGE, MADE_IMAGES } from "@svc/shared/frameworks/base-images.ts";
import { POSTGRES_MAJORS } from "@svc/shared/rules/postgres-versions.ts";
import { expect, it } from "vitest";
import { buildAll, essentialNames, recipeFor, recipes, withBases } from "./build.mjs";

it("there is a recipe for every image that hosts are said to make, and for every PostgreSQL that can be asked for", () => {
  const names = recipes.map(({ name }) => name);
  const databases = POSTGRES_MAJORS.map((version) => `postgres:${version}`);
  expect(names.toSorted()).toEqual([...MADE_IMAGES, CLUSTER_IMAGE, ...databases].toSorted());
});

it("a recipe comes after the one that it builds upon, and the quickstart's are a few of them", () => {
  const names = recipes.map(({ name }) => name);
  for (const [index, { base }] of recipes.entries())
    if (base !== undefined) expect(names.slice(0, index)).toContain(base);
  expect(essentialNames).toEqual(["debian:bookworm-slim", "node:22-slim", "caddy:2", "postgres:16"]);
});

it("the base of an image is built before it, unless it is there", () => {
  const [debian, ruby] = [recipeFor("debian"), recipeFor("ruby")];
  const names = (there: (typeof debian)[]) => withBases([ruby], there).map(({ name }) => name);
  expect(names([])).toEqual(["debian:bookworm-slim", "ruby:3.1-slim"]);
  expect(names([debian])).toEqual(["ruby:3.1-slim"]);
});

const recipe = (name: string, base?: string) => ({ name, base, version: "1", build: () => Promise.resolve() });
const CHAIN = [recipe("a"), recipe("b", "a"), recipe("c", "a"), recipe("d", "b")];

it("two images are built at a time, each after its base", async () => {
  const done: string[] = [];
  let running = 0;
  let most = 0;
  await buildAll(CHAIN, async ({ name, base }) => {
    if (base !== undefined) expect(done).toContain(base);
    most = Math.max(most, (running += 1));
    await new Promise(setImmediate);
    running -= 1;
    done.push(name);
  });
  expect(done.toSorted()).toEqual(["a", "b", "c", "d"]);
  expect(most).toBe(2);
});

it("after a failure what is being built is finished, and nothing more is begun", async () => {
  const begun: string[] = [];
  let isFinished = false;
  const built = buildAll(CHAIN, async ({ name }) => {
    begun.push(name);
    if (name === "b") throw new Error("no mirror");
    if (name !== "c") return;
    await new Promise(setImmediate);
    isFinished = true;
  });
  await expect(built).rejects.toThrow("no mirror");
  expect(isFinished).toBe(true);
  expect(begun.toSorted()).toEqual(["a", "b", "c"]);
});
