import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hideValues, restoreValues } from "./hide-values.ts";

describe("values of variables", () => {
  it.each([
    ["set LOG_LEVEL=debug on api", "set LOG_LEVEL=«value 1» on api", ["debug"]],
    ["A=1, B=2 and c=3", "A=«value 1», B=«value 2» and c=«value 3»", ["1", "2", "3"]],
    ["set A = 1 now", "set A = «value 1» now", ["1"]],
    ["A=\"two words\" B='it is'", "A=«value 1» B=«value 2»", ["two words", "it is"]],
    [String.raw`A="a \" b"`, "A=«value 1»", ['a " b']],
    ['A="no end of it\nB', "A=«value 1»\nB", ['"no end of it']],
    ['A="x"y B=1', "A=«value 1»", ['"x"y B=1']],
    ["A=x=y&z=1", "A=«value 1»", ["x=y&z=1"]],
    ["postgres: DATABASE_URL=postgres://u:p@h/db", "postgres: DATABASE_URL=«value 1»", ["postgres://u:p@h/db"]],
    ["set LOG_LEVEL to debug on api", "set LOG_LEVEL to «value 1» on api", ["debug"]],
    ["change API_KEY on api to s3cret", "change API_KEY on api to «value 1»", ["s3cret"]],
    ["set API_KEY on the app api to s3cret", "set API_KEY on the app api to «value 1»", ["s3cret"]],
    ["set API_KEY to be s3cret", "set API_KEY to be «value 1»", ["s3cret"]],
    ["API_KEY: s3cret", "API_KEY: «value 1»", ["s3cret"]],
    ["API_KEY:s3cret", "API_KEY:«value 1»", ["s3cret"]],
    ['{"API_KEY": "s3cret", "B": 1}', '{"API_KEY": «value 1», "B": 1}', ["s3cret"]],
    ["A=1\nexport B=two words\n# c", "A=«value 1»\nexport B=«value 2»\n# c", ["1", "two words"]],
    ["roll shop back to v3", "roll shop back to v3", []],
    ["a «value 1» of my own", "a ‹value 1› of my own", []],
  ])("%j", (text, hidden, values) => {
    expect(hideValues(text, 1)).toEqual({ text: hidden, values });
  });

  it("are numbered on in a conversation", () => {
    expect(hideValues("A=1", 7)).toEqual({ text: "A=«value 7»", values: ["1"] });
  });

  it("are not in the text any more, whatever they are, and come back as they were", () => {
    const value = fc.stringMatching(/^[!-~]{8,40}$/).filter((each) => !/[«"',]|^\w+=/.test(each));
    const rest = fc.stringMatching(/^[a-z ]{0,30}$/);
    fc.assert(
      fc.property(rest, value, rest, (before, secret, after) => {
        const { text, values } = hideValues(`${before} KEY=${secret} ${after}`, 1);
        expect(text).not.toContain(secret);
        const numbered = new Map(values.map((each, index) => [index + 1, each]));
        expect(restoreValues(text, numbered)).toBe(`${before} KEY=${secret} ${after}`);
      }),
    );
  });

  it("that nobody has written are not made up", () => {
    expect(restoreValues("x«value 2»", new Map([[1, "a"]]))).toBeUndefined();
    expect(restoreValues("postgres://«value 1»", new Map([[1, "$&"]]))).toBe("postgres://$&");
  });
});
