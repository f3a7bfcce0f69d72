import { describe, expect, it } from "vitest";
import { staticFolder } from "./static-folder.ts";
import { treeOf } from "../../repository/tree-of.ts";

describe("the folder of a static site", () => {
  const folder = (firebase: string): string | undefined =>
    staticFolder(treeOf({ "firebase.json": firebase, "site/index.html": "", "functions/index.html": "" }));

  it.each([
    ["its hosting", '{ "hosting": { "public": "site" } }'],
    ["its hosting, as a path", '\ufeff{ "hosting": { "public": "./site/" } }'],
    ["the first of its sites", '{ "hosting": [{ "target": "a", "public": "site" }, { "public": "functions" }] }'],
    ["its hosting, beside comments", '{ // "public": "functions"\n "hosting": { /* the site */ "public": "site", } }'],
  ])("is the one that firebase.json names as %s", (_what, firebase) => {
    expect(folder(firebase)).toBe("site");
  });

  it.each([
    ["another part's", '{ "functions": { "public": "site" }, "hosting": {} }'],
    ["a comment's", '{ /* "public": "site" */ }'],
    ["outside", '{ "hosting": { "public": "../site" } }'],
    ["not text", '{ "hosting": { "public": 1 } }'],
    ["nothing that can be parsed", '{ "hosting": { "public": "site"'],
  ])("is none that is %s in firebase.json", (_what, firebase) => {
    expect(folder(firebase)).toBeUndefined();
  });
});
