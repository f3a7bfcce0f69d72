import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SvcError } from "../errors.ts";
import { planOf } from "./testing.ts";

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
];

const text = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((pieces) => pieces.join("")),
  fc.string({ unit: "binary", maxLength: 200 }),
);
const repository = fc.dictionary(fc.constantFrom(...PATHS), text, { noNullPrototype: true });
const framework = fc.constantFrom(undefined, "fastapi", "django", "flask", "go", "rust", "rails");

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
  ])(
    "is read in time, were it a megabyte of %j",
    (piece) => {
      const large = piece.repeat(Math.ceil(1024 ** 2 / piece.length));
      const plain = { "requirements.txt": "fastapi", "manage.py": '"DJANGO_SETTINGS_MODULE", "mysite.settings"' };
      const startedAt = performance.now();
      for (const name of ["fastapi", "django", "flask", "go", "rust", "rails"]) {
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
});
