import { expect, test } from "vitest";
import { brokenPromises } from "./support/promises/broken-promises.ts";

const listed = ["queue: turns are waited for", "logs: secrets are hidden"];
const kept = [
  { name: "a turn is waited for", state: "passed", promises: ["queue: turns are waited for"] },
  { name: "secrets are hidden", state: "passed", promises: ["logs: secrets are hidden"] },
] as const;
const [turn, secrets] = kept;

test("a whole run in which every promise has a test that passed breaks none", () => {
  expect(brokenPromises(listed, kept, { isWhole: true })).toEqual([]);
});

test("a promise without a test fails a whole run, and no run of a part", () => {
  expect(brokenPromises(listed, [turn], { isWhole: true })).toEqual([
    '"logs: secrets are hidden" has no test that ran.',
  ]);
  expect(brokenPromises(listed, [turn], { isWhole: false })).toEqual([]);
});

test.each(["failed", "skipped"] as const)("a promise whose test %s is not kept, in any run", (state) => {
  const told = `"logs: secrets are hidden" is not kept: "secrets are hidden" ${state}.`;
  expect(brokenPromises(listed, [turn, { ...secrets, state }], { isWhole: false })).toEqual([told]);
  expect(brokenPromises(listed, [turn, { ...secrets, state }], { isWhole: true })).toContain(told);
});

test("a mark outside the list, and a line that is listed twice, fail any run", () => {
  const other = { name: "another", state: "passed", promises: ["logs: something else"] } as const;
  expect(brokenPromises(listed, [other], { isWhole: false })).toEqual([
    '"logs: something else" is marked by "another" and not listed in test/promises.ts.',
  ]);
  expect(brokenPromises([...listed, ...listed.slice(0, 1)], kept, { isWhole: false })).toEqual([
    '"queue: turns are waited for" is listed twice.',
  ]);
});

test("a test that is skipped fails a whole run, also one without a promise", () => {
  const skipped = { name: "another", state: "skipped", promises: [] } as const;
  expect(brokenPromises(listed, [...kept, skipped], { isWhole: true })).toEqual([
    '"another" was skipped; every test must run.',
  ]);
});
