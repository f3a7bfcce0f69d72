import fc from "fast-check";
import { expect, test } from "vitest";
import { LineStore } from "./line-store.ts";

const line = fc.string().map((text) => text.replaceAll("\n", " "));

test("each line is found by its number, however the lines came, until it is forgotten", () => {
  fc.assert(
    fc.property(fc.array(fc.array(line)), fc.integer({ min: 1, max: 20 }), (batches, linesMax) => {
      const store = new LineStore(linesMax);
      for (const batch of batches) store.add(batch);
      const all = batches.flat();
      expect(store.end).toBe(all.length);
      expect(store.end - store.start).toBeGreaterThanOrEqual(Math.min(linesMax, all.length));
      for (let number = store.start; number < store.end; number++) expect(store.line(number)).toBe(all[number]);
      expect(store.text()).toBe(
        (store.start === 0 ? "" : `[${store.start} older lines are not kept here]\n`) +
          all
            .slice(store.start)
            .map((text) => `${text}\n`)
            .join(""),
      );
    }),
  );
});

test("what is forgotten, or not there yet, is empty", () => {
  const store = new LineStore(1);
  store.add(["first"]);
  store.add(["second"]);
  expect([store.line(-1), store.line(0), store.line(1), store.line(2)]).toEqual(["", "", "second", ""]);
});

test("a log that never ends takes no more than a bounded number of characters, however long its lines are", () => {
  fc.assert(
    fc.property(fc.array(fc.array(line, { minLength: 1 }), { minLength: 1 }), fc.nat(100), (batches, charactersMax) => {
      const store = new LineStore(1_000, charactersMax);
      for (const batch of batches) store.add(batch);
      const newest = batches.at(-1)!.map((text) => text.length + 1);
      const newestLength = newest.reduce((sum, length) => sum + length, 0);
      const kept = Array.from({ length: store.end - store.start }, (_, index) => store.line(store.start + index));
      const keptLength = kept.reduce((sum, text) => sum + text.length + 1, 0);
      expect(keptLength).toBeLessThanOrEqual(Math.max(charactersMax, newestLength));
      expect(
        store.text().endsWith(
          batches
            .at(-1)!
            .map((text) => `${text}\n`)
            .join(""),
        ),
      ).toBe(true);
    }),
  );
});
