import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { execInPlace } from "./exec-in-place.ts";
import { cmdInstruction, commandWords, keepsShell, parseStartCommand } from "./start-command.ts";
import { promise } from "../../../test/support/promises/promise.ts";

describe("exec form", () => {
  it.each([
    ["node server.js", ["node", "server.js"]],
    ["  node   server.js  ", ["node", "server.js"]],
    ["uvicorn main:app --host=0.0.0.0 --port 8000", ["uvicorn", "main:app", "--host=0.0.0.0", "--port", "8000"]],
    ["node --env=NODE_ENV=production x", ["node", "--env=NODE_ENV=production", "x"]],
    [`node 'my file.js' "a b"`, ["node", "my file.js", "a b"]],
    [`a'b c'"d e"f`, ["ab cd ef"]],
    ["a\\ b c", ["a b", "c"]],
    ["node ''", ["node", ""]],
    ["exec node server.js", ["node", "server.js"]],
  ])("%j", (line, words) => {
    expect(parseStartCommand(line)).toEqual({ form: "exec", words });
    expect(cmdInstruction(parseStartCommand(line))).toBe(`CMD ${JSON.stringify(words)}`);
  });

  test("gives back every word byte for byte, however it was quoted", () => {
    promise("spec file", "a start command with flags is run without a shell");
    const word = fc.string({ unit: "grapheme", maxLength: 20 }).filter((text) => !text.includes("\0"));
    const quoted = (text: string) => `'${text.replaceAll("'", `'"'"'`)}'`;
    fc.assert(
      fc.property(fc.array(word, { maxLength: 6 }), (more) => {
        const words = ["node", ...more];
        expect(parseStartCommand(words.map(quoted).join(" "))).toEqual({ form: "exec", words });
      }),
    );
  });
});

describe("shell form", () => {
  it.each([
    "NODE_ENV=production node server.js",
    "A=1 B=2 node x",
    "node a && node b",
    "node a | tee log",
    "node a; node b",
    "node $ENTRY",
    'node "$ENTRY"',
    "node `cat entry`",
    "node *.js",
    "node a > log",
    "node a &",
    "(node a)",
    "node {a,b}",
    "node ~/a",
    "node a # why",
    "node 'a",
    "node a\\",
    "node a\nnode b",
    "cd web",
    "source env.sh",
    ". env.sh",
    "wait",
    "exec",
    "exec -a name node x",
  ])("%j", (line) => expect(parseStartCommand(line)).toEqual({ form: "shell", line }));

  test("whatever begins with an assignment, or holds an operator", () => {
    promise("spec file", "a start command that begins with assignments is run by a shell");
    const word = fc.stringMatching(/^[a-z./=-]{1,8}$/);
    const rest = fc.array(word, { minLength: 1, maxLength: 5 });
    const assignment = fc.stringMatching(/^[A-Z_][A-Z0-9_]{0,5}=[a-z]{0,4}$/);
    const operator = fc.constantFrom("&&", "||", "|", ";", "&", ">", "<");
    fc.assert(
      fc.property(assignment, rest, (first, words) => {
        expect(parseStartCommand([first, ...words].join(" ")).form).toBe("shell");
      }),
    );
    fc.assert(
      fc.property(rest, operator, rest, (before, sign, after) => {
        expect(parseStartCommand([...before, sign, ...after].join(" ")).form).toBe("shell");
      }),
    );
  });
});

describe("the last command of a line takes the shell's place, so that the signal to stop reaches it", () => {
  it.each([
    ["A=1 node x", "A=1 exec node x"],
    [`A="b c" B='d' node "$X"`, `A="b c" B='d' exec node "$X"`],
    ["node migrate.js && node server.js", "node migrate.js && exec node server.js"],
    ["cd web && A=1 npm start", "cd web && A=1 exec npm start"],
    ["set -e; ./migrate || true\nnode x 2>&1", "set -e; ./migrate || true\nexec node x 2>&1"],
    ["a | b && c", "a | b && exec c"],
    ["exec node x", "exec node x"],
    ["A=${B:-1} node x;", "A=${B:-1} exec node x;"],
  ])("%j", (line, expected) => {
    expect(execInPlace(line)).toBe(expected);
    expect(commandWords({ form: "shell", line })).toEqual(["/bin/sh", "-c", expected]);
    expect(keepsShell({ form: "shell", line })).toBe(false);
  });

  it.each([
    "node x | tee log",
    "node x &",
    "node x & wait",
    "if true; then node x; fi",
    "while true; do node x; done",
    "(node x)",
    "{ node x; }",
    "trap 'kill 0' TERM; node x",
    "A=1",
    "node `cat x`",
    "node $(cat x)",
    "cat <<END\nEND",
    "node x # why",
    "cd x",
    ">log node x",
  ])("but not where a shell has to stay, or only it can tell: %j", (line) => {
    expect(execInPlace(line)).toBeUndefined();
    expect(commandWords({ form: "shell", line })).toEqual(["/bin/sh", "-c", line]);
    expect(keepsShell({ form: "shell", line })).toBe(true);
  });
});
