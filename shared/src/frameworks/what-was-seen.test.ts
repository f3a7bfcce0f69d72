import { expect, test } from "vitest";
import { refusal, pkg, type Files } from "./sample-repositories.ts";

test.each<[string, Files, string]>([
  ["scripts", pkg({ scripts: { build: "tsc", test: "x" } }), "package.json has `build` and `test` but no `start`"],
  ["no scripts", pkg({}), "package.json has no scripts"],
  ["a Python script", { "requirements.txt": "requests\n", "main.py": "" }, "requirements.txt names none of Django, "],
  ["a gem", { Gemfile: "gem 'sinatra'\n" }, "Gemfile does not name `rails`"],
  ["notes", { "README.md": "", ".gitignore": "" }, "at its root there are README.md."],
  ["much", { a: "", b: "", c: "", d: "", e: "", f: "", g: "" }, "there are a, b, c, d, e and 2 more."],
  ["control characters", { "\u001b[2J": "" }, "there are ?[2J."],
  ["nothing", {}, "there is no file at its root."],
])("a repository with %s is told what was seen, and what to do, in two sentences", (_what, files, seen) => {
  const said = refusal(files);
  expect(said).toContain(seen);
  expect(said.split(/\. (?=[A-Z])/)).toHaveLength(2);
  expect(said).toContain("`svc plan`");
  expect(said.length).toBeLessThan(500);
});
