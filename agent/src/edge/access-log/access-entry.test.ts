import fc from "fast-check";
import { expect, it } from "vitest";
import { parseAccessEntry } from "./access-entry.ts";

const LINE = {
  ts: 1700000000.25,
  request: { remote_ip: "203.0.113.7", proto: "HTTP/2.0", method: "GET", host: "Shop.test:8443", uri: "/a?b=c" },
  duration: 0.0123,
  size: 42,
  status: 200,
};

it("a line of the proxy tells who asked for what, when, and what it took", () => {
  expect(parseAccessEntry(JSON.stringify(LINE))).toEqual({
    time: new Date(1700000000250),
    host: "shop.test",
    status: 200,
    seconds: 0.0123,
    text: '203.0.113.7 Shop.test:8443 "GET /a?b=c HTTP/2.0" 200 42 B 12.3 ms',
  });
});

it("a line that is no entry of the log gives none", () => {
  for (const text of ["", "{", "null", "[]", "{}", '{"request":1}', JSON.stringify({ ...LINE, ts: "x" })]) {
    expect(parseAccessEntry(text)).toBeUndefined();
  }
});

it("whatever a client sends, an entry is one line of bounded length", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 5_000 }), fc.string({ unit: "binary" }), (uri, host) => {
      const entry = parseAccessEntry(JSON.stringify({ ...LINE, request: { ...LINE.request, uri, host } }));
      expect(entry?.text).not.toMatch(/[\n\r\u2028\u2029]/);
      expect(entry?.text.length).toBeLessThan(2_000 + host.length + 100);
    }),
  );
});

it("no text makes it throw", () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => void parseAccessEntry(text)));
});
