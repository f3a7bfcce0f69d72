import { expect, test } from "vitest";
import { choicesOf, findChoices } from "./choices.ts";

const PLACES = [
  { path: "/", text: "Apps", key: "a" },
  { path: "/settings/keys", text: "Keys", key: "k" },
];
const TABS = [
  { place: "", text: "Overview", key: "o" },
  { place: "logs", text: "Logs", key: "l" },
];
const ALL = choicesOf(PLACES, TABS, [{ name: "api" }, { name: "shop" }]);
const found = (written: string) => findChoices(ALL, written).map(({ text }) => text);

test("a name that begins with what was written comes before one that has it inside", () => {
  expect(found("ap")).toEqual(["Apps", "api", "api: Logs", "Deploy api"]);
  expect(found("deploy")).toEqual(["Deploy api", "Deploy shop"]);
});

test("each word must be in the name, in any order and in any case", () => {
  expect(found("LOGS sh")).toEqual(["shop: Logs"]);
  expect(found("nothing")).toEqual([]);
});

test("without a word the pages of all come first", () => {
  expect(found(" ").slice(0, 3)).toEqual(["Apps", "Keys", "api"]);
});

test("an app's name is a part of an address, whatever it is", () => {
  expect(choicesOf([], TABS, [{ name: "a/../b" }])[0]?.path).toBe("/apps/a%2F..%2Fb");
});
