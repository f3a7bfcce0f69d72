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
    ['{"API_KEY": "s3cret", "B": 1}', '{"API_KEY": «value 1», "B": «value 2»}', ["s3cret", "1"]],
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

  it.each([
    ["a file with a value of several lines", 'A=1\nKEY="-----BEGIN KEY-----\nSECRET\n-----END KEY-----"\nB=2'],
    ["a file with spaces", "A=1\nB = two SECRET\nC=2"],
    ["a file with lines of Windows", "A=1\r\nKEY=two SECRET\r\n"],
    ["a private key", "KEY=-----BEGIN RSA PRIVATE KEY-----\nSECRET\n-----END RSA PRIVATE KEY-----"],
    ["a private key alone", "this one:\n-----BEGIN PRIVATE KEY-----\nSECRET\n-----END PRIVATE KEY-----"],
    ["a private key without its end", "KEY=-----BEGIN RSA PRIVATE KEY-----\nx\nSECRET"],
    ["JSON", '{"a": {"api_key": "SECRET"}, "B":"SECRET"}'],
    ["JSON of one line without spaces", '{"n":1,"API_KEY":"SECRET"}'],
    ["YAML", "API_KEY: SECRET\ndb_password: SECRET"],
    ["a name close to its value", "API_KEY:SECRET"],
    ["wide signs", "API_KEY  =  SECRET"],
    ["a sign behind an empty line", "KEY =\n\nSECRET"],
    ["arrows", "API_KEY => SECRET, API_KEY -> SECRET"],
    ["the tool's own words", "svc env set API_KEY SECRET"],
    ["a command of a shell", 'export KEY "SECRET"'],
    ["a sentence with the app's name", "set API_KEY on the app shop to SECRET"],
    ["a sentence about its value", "set API_KEY to the value SECRET"],
    ["a sentence with a colon", "set API_KEY to: SECRET"],
    ["a name in lower case", "set the variable api_key to SECRET"],
    ["a password", "the password is SECRET"],
    ["typographic quotes", "KEY=“a SECRET”"],
    ["backquotes", "KEY=`a SECRET`"],
    ["a header", "curl -H 'Authorization: Bearer SECRET'"],
    ["an address", "why does postgres://ada:SECRET@db/shop refuse me?"],
  ])("are hidden in %s", (_where, text) => {
    expect(hideValues(text.replaceAll("SECRET", "s3cret-7391"), 1).text).not.toContain("s3cret");
  });

  it("are hidden where they are repeated, in the same message and in later ones", () => {
    const first = hideValues("KEY=s3cret-7391, does s3cret-7391 fit?", 1);
    expect(first.text).toBe("KEY=«value 1», does «value 1» fit?");
    const known = new Map([
      [1, "s3cret-7391"],
      [2, "s3cret-7391-and-more"],
      [3, "my-frontend"],
    ]);
    const later = hideValues("is s3cret-7391-and-more or s3cret-7391 in the log of my-frontend?", 4, known);
    expect(later).toEqual({ text: "is «value 2» or «value 1» in the log of my-frontend?", values: [] });
  });

  it.each([
    "use the token to deploy shop",
    "why is the token refused?",
    "set the domain of shop to shop.example.com",
    "deploy shop from main and then roll blog back to v3",
    "logs of shop with status:>=500",
  ])("are not seen in %j", (text) => {
    expect(hideValues(text, 1)).toEqual({ text, values: [] });
  });

  it("are found in little time, whatever surrounds them", () => {
    const pieces = [
      "A=",
      '"',
      "'",
      "AA ",
      "AA on ",
      "AA to ",
      " ",
      "\n",
      "://",
      ":a",
      "-----BEGIN ",
      "token",
      "_",
      "\\",
      "set ",
    ];
    const hostile = fc.tuple(fc.constantFrom(...pieces), fc.constantFrom(...pieces));
    fc.assert(
      fc.property(hostile, ([piece, other]) => {
        const text = (piece + other).repeat(2_000).slice(0, 4_000);
        const begun = performance.now();
        hideValues(text, 1);
        expect(performance.now() - begun).toBeLessThan(500);
      }),
    );
  });

  it("that nobody has written are not made up", () => {
    expect(restoreValues("x«value 2»", new Map([[1, "a"]]))).toBeUndefined();
    expect(restoreValues("postgres://«value 1»", new Map([[1, "$&"]]))).toBe("postgres://$&");
  });
});
