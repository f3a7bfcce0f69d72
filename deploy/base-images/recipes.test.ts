import { MADE_IMAGES } from "@svc/shared/frameworks/base-images.ts";
import { POSTGRES_MAJORS } from "@svc/shared/spec/schema.ts";
import { expect, it } from "vitest";
import { essentialNames, recipes } from "./build.mjs";

it("there is a recipe for every image that hosts are said to make, and for every PostgreSQL that can be asked for", () => {
  const names = recipes.map(({ name }) => name);
  const databases = POSTGRES_MAJORS.map((version) => `postgres:${version}`);
  expect(names.toSorted()).toEqual([...MADE_IMAGES, ...databases].toSorted());
});

it("a recipe comes after the one that it builds upon, and the quickstart's are a few of them", () => {
  const names = recipes.map(({ name }) => name);
  for (const [index, { base }] of recipes.entries())
    if (base !== undefined) expect(names.slice(0, index)).toContain(base);
  expect(essentialNames).toEqual(["debian:bookworm-slim", "node:22-slim", "caddy:2", "postgres:16"]);
});
