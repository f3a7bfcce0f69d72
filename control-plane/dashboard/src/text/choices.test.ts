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
const ALL = choicesOf(PLACES, TABS, {
  apps: [{ name: "api" }, { name: "shop" }],
  teams: [{ id: "7", name: "Bakery" }],
});
const found = (written: string) => findChoices(ALL, written).map(({ text }) => text);

test("a name that begins with what was written comes before one that has it inside", () => {
  expect(found("ap")).toEqual([
    "Apps",
    "api",
    "api: Logs",
    "New app",
    "Deploy api",
    "Roll api back",
    "Start, stop or restart api",
  ]);
  expect(found("deploy")).toEqual(["Deploy api", "Deploy shop"]);
});

test("each word must be in the name, in any order and in any case", () => {
  expect(found("LOGS sh")).toEqual(["shop: Logs"]);
  expect(found("nothing")).toEqual([]);
});

test("without a word the pages of all come first", () => {
  expect(found(" ").slice(0, 4)).toEqual(["Apps", "Keys", "New app", "api"]);
});

test("an app's name is a part of an address, whatever it is", () => {
  expect(choicesOf([], TABS, { apps: [{ name: "a/../b" }], teams: [] })[1]?.path).toBe("/apps/a%2F..%2Fb");
});

test.each([
  ["new", "New app", "/new"],
  ["bakery", "Team Bakery", "/settings/team?team=7"],
  ["deploy shop", "Deploy shop", "/apps/shop/deploys"],
  ["roll back shop", "Roll shop back", "/apps/shop/deploys"],
  ["restart shop", "Start, stop or restart shop", "/apps/shop"],
  ["stop shop", "Start, stop or restart shop", "/apps/shop"],
])("%s finds the page where that is done", (written, text, path) => {
  expect(findChoices(ALL, written)).toEqual([{ text, path }]);
});
