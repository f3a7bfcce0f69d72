import { expect, test } from "vitest";
import { checkPassword } from "./password-rules.ts";

test.each(["correct horse battery", "x9!kfj2pqm3v", "ünïcödé pässphräse", "a".repeat(20) + "bcdefghij klm"])(
  "the password %j is taken",
  (password) => expect(() => checkPassword(password, "ada@example.com")).not.toThrow(),
);

test.each([
  ["elevenchars", /has 11 characters: use 12 to 128/],
  ["x".repeat(129), /has 129 characters/],
  ["password1234", /among the first that are guessed/],
  ["Administrator", /among the first that are guessed/],
  ["1234567890123456", /among the first that are guessed/],
  ["abcdabcdabcd", /among the first that are guessed/],
  ["lovelace.ada", /among the first that are guessed/],
  ["Lovelace.Ada@example.com", /among the first that are guessed/],
])("the password %j is refused with the reason", (password, reason) => {
  expect(() => checkPassword(password, "lovelace.ada@example.com")).toThrow(reason);
});
