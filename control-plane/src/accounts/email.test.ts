import { expect, test } from "vitest";
import { checkEmail, isEmail } from "./email.ts";

test.each(["ada@example.com", "ada@localhost", "josé@exämple.com", "a+b@example.com"])(
  "%j can be an address",
  (email) => {
    expect(isEmail(email)).toBe(true);
  },
);

test.each(["", "ada", "@a", "a@", "a b@example.com", "a\n@example.com", "Ａ\u212a@example.com\u200b"])(
  "%j is no address",
  (email) => {
    expect(isEmail(email)).toBe(false);
  },
);

test("an address that reads as another one is refused, and quoted so that it does not", () => {
  const email = "\u202emoc.elpmaxe@nimda.ee";
  expect(() => checkEmail(email)).toThrow(String.raw`"\u202emoc.elpmaxe@nimda.ee" is not an e-mail address`);
  expect(isEmail("a\u200bda@example.com")).toBe(false);
});
