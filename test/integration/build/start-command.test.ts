import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { execInPlace } from "@svc/shared/spec/exec-in-place.ts";

test("a start command whose last command takes the shell's place does the same as before", () => {
  const sh = (line: string) => {
    try {
      return { output: execFileSync("/bin/sh", ["-c", line], { encoding: "utf8", stdio: "pipe" }), status: 0 };
    } catch (error) {
      const { stdout, status } = error as { stdout: string; status: number };
      return { output: stdout, status };
    }
  };
  const simple = fc.constantFrom(
    "true",
    "false",
    "printf '%s\\n' one",
    'A="x y" env printf "%s" "$HOME"',
    "A=1 B=2 sh -c 'echo $A$B'",
    "echo a 2>&1",
    "X=1 false",
  );
  const sign = fc.constantFrom(" && ", " || ", "; ", "\n");
  const line = fc
    .tuple(simple, fc.array(fc.tuple(sign, simple), { maxLength: 3 }))
    .map(([first, more]) => first + more.flat().join(""));
  fc.assert(
    fc.property(line, (text) => {
      expect(sh(execInPlace(text)!)).toEqual(sh(text));
    }),
    { numRuns: 40 },
  );
});
