import { expect, it } from "vitest";
import { KILLED, killAtRandom } from "../support/kills/random-kills.ts";

/** The time after a killed process is back until the API tells the truth. */
const WELL_MS_MAX = 10_000;

/** `npm run bench -- kills` goes on for two hundred. */
it("no row is lost and no deploy is without an end, whatever is killed, and the API soon tells what visitors see", async () => {
  // With this seed each comes once.
  const { kills, deploys, confirmed, lost } = await killAtRandom({ seed: 138, count: KILLED.length });
  expect(kills.map(({ what }) => what).toSorted()).toEqual(KILLED.toSorted());
  expect(kills.filter(({ wellMs }) => !(wellMs! <= WELL_MS_MAX))).toEqual([]);
  expect(confirmed).toBeGreaterThan(500);
  expect(lost).toEqual([]);
  expect([...deploys.keys()]).not.toContain("none");
});
