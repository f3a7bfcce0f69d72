import { expect, it } from "vitest";
import { HOST_NAME_LENGTH_MAX, isHostName } from "./host-name.ts";

const label = "a".repeat(63);

it.each(["a", "a.b", "shop.apps.localhost", "x-1.test", `${label}.test`, "0.a", "xn--bcher-kva.test"])(
  "%s may be routed",
  (host) => expect(isHostName(host)).toBe(true),
);

it.each([
  "",
  ".",
  "a.",
  ".a",
  "a..b",
  "A.b",
  "a_b",
  "-a",
  "a-",
  "a b",
  "a/b",
  "*.a",
  "a\n",
  `${label}a.test`,
  "ü.test",
])("%j may not be routed", (host) => expect(isHostName(host)).toBe(false));

it("addresses are no host names", () => {
  for (const host of ["127.0.0.1", "1", "a.1", "[::1]", "::1"]) expect(isHostName(host)).toBe(false);
});

it("the longest name still has room for the name server's suffix", () => {
  const longest = `${"a.".repeat((HOST_NAME_LENGTH_MAX - 1) / 2)}a`;
  expect(longest).toHaveLength(HOST_NAME_LENGTH_MAX);
  expect(isHostName(longest)).toBe(true);
  expect(isHostName(`a${longest}`)).toBe(false);
});
