import { expect, test } from "vitest";
import { containerLabels, imageLabels, readContainerLabels } from "./labels.ts";

const app = { id: "a1", name: "shop" };

test("the labels that are written on a container are read again", () => {
  const identity = { app, role: "app" as const, deployId: "d1", release: "v1", port: 3000 };
  expect(readContainerLabels("s1", containerLabels("s1", identity))).toEqual(identity);
  const database = { app, role: "database" as const, deployId: undefined, release: "16", port: 5432 };
  expect(readContainerLabels("s1", containerLabels("s1", database))).toEqual(database);
});

test("a container of another server, or of nobody, is not read", () => {
  const identity = { app, role: "app" as const, deployId: "d1", release: "v1", port: 3000 };
  expect(readContainerLabels("s2", containerLabels("s1", identity))).toBeUndefined();
  expect(readContainerLabels("s1", {})).toBeUndefined();
  expect(readContainerLabels("s1", undefined)).toBeUndefined();
});

test("a container that somebody runs by hand from an app's image is not taken for the app's", () => {
  expect(readContainerLabels("s1", imageLabels("s1", app, "d1"))).toBeUndefined();
});
