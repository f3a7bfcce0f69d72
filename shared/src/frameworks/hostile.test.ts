import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SvcError } from "../errors.ts";
import { angularBuild } from "./static/angular-output.ts";
import { chooseGoProgram } from "./go/go-programs.ts";
import { planBuild } from "./plan-build.ts";
import { readRequirements } from "./python/python-requirements.ts";
import { planOf, TEST_APP_ID } from "./testing.ts";
import { findMembers } from "./node/workspace/workspace-members.ts";

const NOTHING_SET = { appId: TEST_APP_ID, port: undefined, buildEnvKeys: [], build: undefined, start: undefined };

/** Files that plans are read from, with pieces of what they may hold. */
const PATHS = [
  "requirements.txt",
  "pyproject.toml",
  ".python-version",
  "main.py",
  "manage.py",
  "mysite/settings.py",
  "mysite/wsgi.py",
  "go.mod",
  "go.work",
  "cmd/web/main.go",
  "Cargo.toml",
  "crates/a/Cargo.toml",
  "src/main.rs",
  "Gemfile",
  "Gemfile.lock",
  ".ruby-version",
  "config/application.rb",
  "package.json",
  "index.html",
  "next.config.mjs",
  "vite.config.ts",
  "astro.config.mjs",
  "react-router.config.ts",
  "src/pages/index.astro",
  "firebase.json",
];
const PIECES = [
  "fastapi",
  "flask",
  "-r requirements.txt\n",
  "\n",
  '"',
  "'",
  "\\",
  "[project]\n",
  "dependencies = [",
  "]",
  "= ",
  "name = ",
  "[[bin]]\n",
  "[workspace]\n",
  "[package]\n",
  'members = ["*", "../.."]\n',
  "app = FastAPI(",
  "def create_app(",
  "package main\n",
  "func main()",
  "use (",
  ")",
  "module x\n",
  'gem "rails"\n',
  "    rails (8.0)\n",
  'ruby "3.3.0"\n',
  "3.12",
  "$PORT",
  "RUN rm\n",
  'os.environ.setdefault("DJANGO_SETTINGS_MODULE", "mysite.settings")\n',
  "STATIC_ROOT = 1\n",
  ":8080",
  "é\u2028\0",
  '{"dependencies":{"next":"1","vite":"1","astro":"1","@react-router/dev":"1","@remix-run/dev":"1"}}',
  "export default {",
  "root: 'a\\nRUN rm', ",
  "output: 'export', distDir: `out`, ",
  "build: { outDir: process.env.A }, ",
  "outDir: '../../etc', ",
  "adapter: node(), ",
  "}",
  "// ",
  "---\n",
  "export const prerender = false\n",
  '{"hosting":{"public":"a"}}',
];

const text = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((pieces) => pieces.join("")),
  fc.string({ unit: "binary", maxLength: 200 }),
);
const repository = fc.dictionary(fc.constantFrom(...PATHS), text, { noNullPrototype: true });
const FRAMEWORKS = ["fastapi", "django", "flask", "go", "rust", "rails", "nextjs", "vite", "astro", "remix", "static"];
const framework = fc.constantFrom(undefined, ...FRAMEWORKS);

/** Each line an instruction, so that nothing in a repository becomes one. */
const INSTRUCTIONS = /^(?:$|(?:FROM|RUN|COPY|ENV|ARG|WORKDIR|USER|EXPOSE|CMD|ENTRYPOINT) )/;

describe("whatever a repository holds", () => {
  it("is planned, with nothing of it as an instruction, or refused in words", () => {
    fc.assert(
      fc.property(repository, framework, (files, name) => {
        try {
          const { text } = planOf(files, name === undefined ? {} : { framework: name });
          for (const line of text.split("\n")) expect(line).toMatch(INSTRUCTIONS);
        } catch (error) {
          expect(error).toBeInstanceOf(SvcError);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    "\n",
    " ",
    "def create_app(",
    "use (\n",
    "\tuse ",
    "gem ",
    "a.",
    "-r ",
    "STATIC_ROOT ",
    "[",
    "environ[",
    '"DJANGO_SETTINGS_MODULE"',
    "=>",
    "export default ",
    "prerender = false\n",
    "---\n",
  ])(
    "is read in time, were it a megabyte of %j",
    (piece) => {
      const large = piece.repeat(Math.ceil(1024 ** 2 / piece.length));
      const plain = {
        "requirements.txt": "fastapi",
        "manage.py": '"DJANGO_SETTINGS_MODULE", "mysite.settings"',
        "package.json": "{}",
      };
      const startedAt = performance.now();
      for (const name of FRAMEWORKS) {
        for (const path of PATHS) {
          try {
            planOf({ ...plain, [path]: large }, { framework: name });
          } catch (error) {
            expect(error).toBeInstanceOf(SvcError);
          }
        }
      }
      // All of them together, on a machine that does other things: some hundred times what one takes.
      expect(performance.now() - startedAt).toBeLessThan(20_000);
    },
    60_000,
  );

  const django = {
    "manage.py": '"DJANGO_SETTINGS_MODULE", "p.settings.a"',
    "requirements.txt": "django",
    "p/wsgi.py": "",
  };
  it.each([
    [
      "three settings files with a long name",
      Object.fromEntries(
        ["a", "b", "c"].map((one) => [`p/settings/${one}.py`, `STATIC_ROOT=1\nenv('${"SECRET".repeat(10_900)}\n`]),
      ),
    ],
    ["an ENV of one long name", { Dockerfile: `FROM x\nENV ${"a".repeat(60_000)}\n` }],
    [
      "a Gemfile with a long space in its version",
      { Gemfile: `gem 'rails'\nruby '${" ".repeat(200_000)}x`, "config/application.rb": "x" },
    ],
    ["a requirement with many comments", { "requirements.txt": `flask\n${" #".repeat(100_000)}\u2028x`, "app.py": "" }],
  ])("is read within two seconds that took many: %s", (_name, files) => {
    const startedAt = process.cpuUsage();
    try {
      planOf("Dockerfile" in files ? files : { ...django, ...files });
    } catch (error) {
      expect(error).toBeInstanceOf(SvcError);
    }
    const { user, system } = process.cpuUsage(startedAt);
    expect((user + system) / 1000).toBeLessThan(2000);
  });

  it("is looked at in a bounded number of folders for Go programs", () => {
    let lists = 0;
    const names = Array.from({ length: 20_000 }, (_one, index) => `f${index}/`);
    const files = {
      list: (folder = "") => {
        lists += 1;
        return folder === "" ? ["go.mod", ...names] : [];
      },
      read: () => undefined,
    };
    expect(() => chooseGoProgram(files)).toThrow(/no program/);
    expect(lists).toBeLessThan(600);
  });

  it("is asked for a bounded number of included requirements, whether they are there or not", () => {
    let reads = 0;
    const text = Array.from({ length: 10_000 }, (_one, index) => `-r ${index}.txt`).join("\n");
    const read = (path: string): string | undefined => {
      reads += 1;
      return path === "requirements.txt" ? text : undefined;
    };
    readRequirements({ list: () => [], read }, "requirements.txt");
    expect(reads).toBeLessThan(30);
  });

  it("is looked at in a bounded number of folders, and in each once or twice", () => {
    let lists = 0;
    const names = Array.from({ length: 150_000 }, (_one, index) => `f${index}/`);
    const files = {
      list: (folder = "") => {
        lists += 1;
        return folder === "" ? names : [];
      },
      read: () => undefined,
    };
    expect(() => planBuild(files, undefined, NOTHING_SET)).toThrow(/can't be recognised/);
    expect(lists).toBeLessThan(2_000);
  });

  it("is read at once where it is an angular.json of line ends alone", () => {
    const started = performance.now();
    angularBuild({ list: () => [], read: () => "\n".repeat(200_000) });
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  it("has more folders, or larger packages, than a workspace is looked for in", () => {
    const names = Array.from({ length: 150_000 }, (_one, index) => `f${index}/`);
    const list = (folder = "") => (folder === "" ? [...names, "package.json"] : ["package.json"]);
    expect(findMembers({ list, read: () => '{"name":"a"}' }, ["*"]).length).toBeLessThan(2_000);
    const large = JSON.stringify({ name: "a".repeat(100_000) });
    expect(() => findMembers({ list, read: () => large }, ["*"])).toThrow(/more than 8 MiB in all/);
  });
});
