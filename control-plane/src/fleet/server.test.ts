import { expect, test } from "vitest";
import { parseServerAddress } from "./server.ts";

test("an address of a server is a host with or without a port", () => {
  expect(parseServerAddress("192.0.2.7")).toEqual({ host: "192.0.2.7", port: null });
  expect(parseServerAddress("192.0.2.7:8443")).toEqual({ host: "192.0.2.7", port: 8443 });
  expect(parseServerAddress("2001:db8::1")).toEqual({ host: "2001:db8::1", port: null });
  expect(parseServerAddress("[2001:db8::1]:443")).toEqual({ host: "2001:db8::1", port: 443 });
  expect(parseServerAddress("edge-1.example.com:443")).toEqual({ host: "edge-1.example.com", port: 443 });
});

test.each(["", ":443", "a b", "192.0.2.7:0", "192.0.2.7:65536", "http://a", "a/b", "A.example", "192.0.2"])(
  "%j is no address of a server",
  (text) => expect(parseServerAddress(text)).toBeUndefined(),
);
