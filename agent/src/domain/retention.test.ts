import fc from "fast-check";
import { expect, test } from "vitest";
import { imagesToRemove, IMAGES_KEPT } from "./retention.ts";

const images = fc
  .uniqueArray(fc.integer({ min: 0, max: 10_000 }), { maxLength: 20 })
  .map((times) => times.map((time) => ({ digest: `sha256:${time}`, deployId: `d${time}`, createdAt: new Date(time) })));

test("the newest five and those in use always stay, every other goes", () => {
  fc.assert(
    fc.property(images, fc.array(fc.nat(20)), (all, picks) => {
      const inUse = new Set(picks.map((pick) => all[pick]?.digest ?? "sha256:gone"));
      const removed = imagesToRemove(all, inUse);
      const newest = all.toSorted((a, b) => +b.createdAt - +a.createdAt).slice(0, IMAGES_KEPT);
      for (const image of all) {
        expect(removed.includes(image)).toBe(!inUse.has(image.digest) && !newest.includes(image));
      }
    }),
  );
});

test("an app with few images loses none", () => {
  const image = { digest: "sha256:a", deployId: "d", createdAt: new Date(0) };
  expect(imagesToRemove([image], new Set())).toEqual([]);
});
