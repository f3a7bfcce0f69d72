import { expect, test } from "vitest";
import { chooseAppFolder } from "./app-folder.ts";
import { parseDeploySpec } from "./deploy-spec.ts";

/** Spec files by the folder that they lie in. */
function choose(files: Record<string, string>, given?: string): { root: string; name: string | undefined } {
  const read = (folder: string) =>
    files[folder] === undefined
      ? undefined
      : { file: "svc.yaml", spec: parseDeploySpec("svc.yaml", `# spec: svc/v2\n${files[folder]}`) };
  const { root, file } = chooseAppFolder(read, given);
  return { root, name: file?.spec.name };
}

test("the repository's top is built when no root is given", () => {
  expect(choose({})).toEqual({ root: "", name: undefined });
  expect(choose({ "": "name: top", "apps/web": "name: web" })).toEqual({ root: "", name: "top" });
});

test("the spec file at the top can name the folder", () => {
  expect(choose({ "": "{name: top, root: apps/web}" })).toEqual({ root: "apps/web", name: "top" });
});

test("the app's own root wins over the one that the file names", () => {
  expect(choose({ "": "{name: top, root: apps/web}" }, "apps/api")).toEqual({ root: "apps/api", name: "top" });
});

test("the spec file in the root wins as a whole over the one at the top", () => {
  const files = { "": "{name: top, root: apps/web, port: 80}", "apps/web": "name: web" };
  expect(choose(files)).toEqual({ root: "apps/web", name: "web" });
  expect(choose(files, "apps/web")).toEqual({ root: "apps/web", name: "web" });
});

test("a mistake in the file at the top is none of an app whose root has its own", () => {
  expect(choose({ "": "port: 0", "apps/web": "name: web" }, "apps/web")).toEqual({ root: "apps/web", name: "web" });
});

test("a spec file in the root that names another is refused", () => {
  const files = { "": "{name: top, root: apps/web}", "apps/web": "{name: web, root: src}" };
  expect(() => choose(files)).toThrow("apps/web/svc.yaml gives `root`");
  expect(() => choose(files, "apps/web")).toThrow("apps/web/svc.yaml gives `root`");
});
