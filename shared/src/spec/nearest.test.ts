import { expect, test } from "vitest";
import { nearest } from "./nearest.ts";

const names = ["name", "framework", "services", "port", "pg"];

test.each([
  ["nmae", "name"],
  ["framwork", "framework"],
  ["Services", "services"],
  ["service", "services"],
  ["prot", "port"],
])("%s was meant to be %s", (word, meant) => expect(nearest(word, names)).toBe(meant));

test.each(["", "volumes", "x".repeat(1000), "environment"])("%s resembles none", (word) => {
  expect(nearest(word, names)).toBeUndefined();
});
