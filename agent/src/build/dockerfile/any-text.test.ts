import { SvcError } from "@svc/shared/errors.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { instructionText, readInstructions } from "./text/instruction.ts";
import { requireHarmlessTriggers } from "./triggers.ts";
import { writeSample } from "./write-sample.ts";

/** Go's unicode.IsSpace, and what only JavaScript takes for white space. */
const SPACES = [..."\v\f\r\u0085\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"];

describe("white space that some readers pass over", () => {
  it.each(SPACES)("is refused around what an ADD names: %j", (space) => {
    const array = '["http://127.0.0.2/x","/m"]';
    for (const text of [
      `ADD ${space}${array}`,
      `ADD --chown=1${space}${array}`,
      `ADD${space}${array}`,
      `ADD ${array}${space}b`,
    ])
      for (const prefix of ["", "ONBUILD ", `ONBUILD ${space}`])
        expect(() => writeSample(`FROM scratch\n${prefix}${text}`)).toThrow(SvcError);
    expect(() => requireHarmlessTriggers([`ADD ${space}["a","/m"]`], "a", { line: 1, name: "FROM" })).toThrow(SvcError);
  });
});

/** Pieces that readers of Dockerfiles have understood differently. */
const PIECES = [
  "FROM scratch",
  "RUN a",
  "ADD b /",
  "COPY c /",
  "run",
  "ENV x=1",
  "ONBUILD",
  "#",
  "# escape=`",
  "\\",
  "`",
  "\n",
  "\r",
  "\r\n",
  "\\\n",
  "\\ \n",
  "\\\t\r\n",
  "`\n",
  " ",
  "\t",
  "\v",
  "\f",
  "\u0085",
  "\u00a0",
  "\u2028",
  "\ufeff",
  '"',
  "'",
  "--",
  "--from=a",
  "--mount=type=cache,target=/x",
  "<<EOF",
  "EOF",
  "[",
  "]",
  '["a"]',
  "$x",
  "${x:-y}",
  "=",
  "é",
  "http://x/y",
  "/",
  "ADD ",
  "ADD ",
  '["http://x/y","/"]',
  '["http://x/y","/"]',
  ...SPACES,
];

const GO_SPACES = String.raw`[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*`;
const GO_TRIMMED = new RegExp(`^${GO_SPACES}([^]*?)${GO_SPACES}$`);

/** Go's strings.TrimSpace. */
function goTrimmed(text: string): string {
  return GO_TRIMMED.exec(text)![1]!;
}

/** The words of an ADD as BuildKit splits them; none for other instructions. */
function addWordsOfBuildKit(line: string): string[] {
  const [, name = "", behind = ""] = /^([^\t\v\f\r ]+)[\t\v\f\r ]+([^]*)$/.exec(goTrimmed(line)) ?? [];
  if (name.toUpperCase() === "ONBUILD") return addWordsOfBuildKit(goTrimmed(behind));
  if (name.toUpperCase() !== "ADD") return [];
  let rest = goTrimmed(behind);
  while (rest.startsWith("--")) rest = goTrimmed(rest.replace(/^--[^\s\u0085]*/, ""));
  try {
    return JSON.parse(rest);
  } catch {
    return rest.split(/[\t\v\f\r ]+/);
  }
}

describe("whatever is in a Dockerfile", () => {
  const anything = fc
    .array(fc.constantFrom(...PIECES), { maxLength: 40 })
    .map((pieces) => `FROM scratch\n${pieces.join("")}`);
  const accepted = (text: string) => {
    try {
      return writeSample(text);
    } catch (error) {
      if (error instanceof SvcError) return undefined;
      throw error;
    }
  };

  it("each line that BuildKit is given begins with an instruction, and reads as itself", () => {
    let count = 0;
    const property = fc.property(anything, (text) => {
      const result = accepted(text);
      if (result === undefined) return;
      count += 1;
      const lines = result.text.trimEnd().split("\n");
      const instructions = lines.filter((line) => line !== "# escape=`");
      expect(lines.length - instructions.length).toBeLessThanOrEqual(lines[0] === "# escape=`" ? 1 : 0);
      for (const line of instructions) expect(line).toMatch(/^(?:ADD|COPY|ENV|FROM|ONBUILD|RUN|WORKDIR)(?: |$)/);
      for (const line of instructions)
        expect(
          addWordsOfBuildKit(line)
            .slice(0, -1)
            .filter((word) => word.includes("http://x")),
        ).toEqual([]);
      expect(readInstructions(result.text, false).instructions.map(instructionText)).toEqual(instructions);
      expect(result.lines.length).toBe(lines.length);
    });
    fc.assert(property, { numRuns: 5000 });
    expect(count).toBeGreaterThan(100);
  });
});
