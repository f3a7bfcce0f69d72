import fc from "fast-check";
import { expect, test } from "vitest";
import { LogQueryError, parseLogQuery } from "./log-query.ts";
import { LOG_QUERY_LENGTH_MAX, type LogKind } from "./log-query-hints.ts";
import { matchesLine, matchesParts } from "./match-line.ts";

const finds = (query: string, line: string, kind: LogKind = "lines"): boolean =>
  matchesLine(parseLogQuery(query, kind), line);

const REQUEST = '203.0.113.7 Shop.example.com:8443 "POST /api/orders?id=7 HTTP/2.0" 502 12 B 30.5 ms';

test.for([
  ["", "anything", true],
  ["card", "Card declined", true],
  ["card refused", "Card declined", false],
  ["declined card", "Card declined", true],
  ['"card declined"', "a CARD DECLINED here", true],
  ['"declined card"', "Card declined", false],
  ["-card", "Card declined", false],
  ["-card", "Order placed", true],
  ['-"card declined" order', "Order placed", true],
  ["id:7", "order id:7", true],
  ["http://x", "GET http://x/y", true],
  ['"level:error"', "it said level:error", true],
  ["level:error", "ERROR it broke", true],
  ["-level:debug", "DEBUG detail", false],
  ["level:WARN disk", "[warn] disk is full", true],
] as const)("%j on %j: %s", ([query, line, expected]) => {
  expect(finds(query, line)).toBe(expected);
});

test.for([
  ["status:502", true],
  ["status:>=500", true],
  ["status:<500", false],
  ["-status:<500", true],
  ["status:>502", false],
  ["status:<=502", true],
  ["method:post", true],
  ["method:GET", false],
  ["path:/api/*", true],
  ["path:/api/orders", true],
  ["path:/api", false],
  ['path:"/api/orders"', true],
  ["path:*/orders", true],
  ["path:*api*ers", true],
  ["host:shop.example.com", true],
  ["host:SHOP.*", true],
  ["host:other.example.com", false],
  ["203.0.113.7 status:502 -method:GET", true],
] as const)("%s on a request that failed: %s", ([query, expected]) => {
  expect(finds(query, REQUEST, "requests")).toBe(expected);
});

test.for([
  ["level:loud", "lines", "`level:loud` is none of error, warn, info, debug"],
  ["level:", "lines", "`level:` has no value"],
  ["status:>=500", "lines", "`status:` is of requests"],
  ["level:error", "requests", "`level:` is of what a program writes"],
  ["status:5xx", "requests", "no status of three digits"],
  ["status:>", "requests", "no status of three digits"],
  ["method:G/T", "requests", "is no method"],
  ["path:api", "requests", "begins with neither / nor *"],
  ['"open', "lines", "a quote is not closed"],
  ['a"b"', "lines", "no blank before an opening"],
  ['"a"b', "lines", "no blank after a closing"],
  ["-", "lines", "a term without text"],
  ['""', "lines", "a term without text"],
  ["a\tb", "lines", "a control character"],
  ["a\u0000", "lines", "a control character"],
  ["\ud800", "lines", "half of a character"],
  ["a\u00a0b", "lines", "none of the keyboard's"],
  ["x".repeat(LOG_QUERY_LENGTH_MAX + 1), "lines", "more than 500 characters"],
  ["a ".repeat(21), "lines", "more than 20 terms"],
] as const)("%j of %s is refused with a sentence that says why, and what is allowed", ([query, kind, why]) => {
  const parse = () => parseLogQuery(query, kind);
  expect(parse).toThrow(LogQueryError);
  expect(parse).toThrow(why);
  expect(parse).toThrow("Allowed: Words");
});

const kind = fc.constantFrom<LogKind>("lines", "requests");
const piece = fc.oneof(
  fc.string(),
  fc.constantFrom("level:", "status:", ">=", "path:", "host:", "method:", "*", '"', "-", " ", "error", "404", "/"),
);
const text = fc.array(piece).map((pieces) => pieces.join(""));

test("whatever is asked, it is read or refused, and a line is found or not", () => {
  fc.assert(
    fc.property(text, kind, text, (query, of, line) => {
      try {
        expect(typeof matchesLine(parseLogQuery(query, of), line)).toBe("boolean");
      } catch (error) {
        expect(error).toBeInstanceOf(LogQueryError);
      }
    }),
  );
});

const quotable = fc.string({ minLength: 1, maxLength: 200 }).filter((each) => !/["\p{Cc}]/u.test(each));

test("a quoted text is found in each line that holds it, and in no other, and excluded the other way round", () => {
  fc.assert(
    fc.property(quotable, fc.string(), fc.string(), (wanted, before, after) => {
      expect(finds(`"${wanted}"`, before + wanted + after)).toBe(true);
      expect(finds(`-"${wanted}"`, before + wanted + after)).toBe(false);
      expect(finds(`"${wanted}"`, before)).toBe(before.toLowerCase().includes(wanted.toLowerCase()));
    }),
  );
});

test("more terms never find more", () => {
  const term = fc.constantFrom("a", "-b", "level:error", '"c d"', "-level:info", "ERROR");
  fc.assert(
    fc.property(fc.array(term), fc.array(term), fc.string(), (some, more, line) => {
      const all = finds([...some, ...more].join(" "), line);
      expect(all).toBe(finds(some.join(" "), line) && finds(more.join(" "), line));
    }),
  );
});

test("a pattern means what the regular expression of its stars means", () => {
  const letters = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 4 });
  const joined = fc.array(letters, { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(joined, fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 12 }), (parts, tried) => {
      expect(matchesParts(parts, tried)).toBe(new RegExp(`^${parts.join(".*")}$`).test(tried));
    }),
  );
});
