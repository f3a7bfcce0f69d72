import { describe, expect, test } from "vitest";
import { DEFAULT_DISK_LIMITS, excessOf, fillersOf, limitOf, stopSentence, type MeasuredPlace } from "./disk-limits.ts";

const GIB = 1024 ** 3;

function place(appName: string, fields: Partial<MeasuredPlace> = {}): MeasuredPlace {
  const use = { bytes: 0, files: 1 };
  const whose = { containerId: appName, appId: appName, appName, role: "app" } as const;
  return { ...whose, paths: [`/layers/${appName}`], use, former: use, ...fields };
}

describe("a limit", () => {
  test.each([
    ["app", { bytes: 2 * GIB, files: 200_000 }, undefined],
    ["app", { bytes: 2 * GIB + 1, files: 1 }, "bytes"],
    ["app", { bytes: 1, files: 200_001 }, "files"],
    ["database", { bytes: 10 * GIB, files: 1 }, undefined],
    ["database", { bytes: 10 * GIB + 1, files: 1 }, "bytes"],
  ] as const)("of the role %s with %j is exceeded by: %s", (role, use, excess) => {
    expect(excessOf(use, limitOf({ role }, DEFAULT_DISK_LIMITS))).toBe(excess);
  });
});

describe("who fills a disk of 100 GiB", () => {
  const disk = { bytes: 100 * GIB, files: 1_000_000 };
  const grown = (appName: string, fromGib: number, toGib: number): MeasuredPlace =>
    place(appName, { use: { bytes: toGib * GIB, files: 9 }, former: { bytes: fromGib * GIB, files: 9 } });
  const names = (places: readonly MeasuredPlace[]): string[] => places.map(({ appName }) => appName);

  test("is the app that grew most, not the one that holds most", () => {
    const places = [grown("large", 60, 60.5), grown("fast", 1, 30), grown("slow", 26, 30)];
    expect(names(fillersOf(places, "bytes", disk))).toEqual(["fast", "slow", "large"]);
  });

  test("is nobody who has not grown, or holds no more than a fair share of half of the disk", () => {
    expect(fillersOf([grown("still", 60, 60), grown("small", 0, 24)], "bytes", disk)).toEqual([]);
  });

  test("is the app whose containers hold more than a fair share together", () => {
    const appId = "busy";
    const places = [{ ...grown("old", 20, 20), appId }, { ...grown("new", 0, 20), appId }, grown("small", 0, 20)];
    expect(names(fillersOf(places, "bytes", disk))).toEqual(["new"]);
  });

  test("is told by the number of files where those run out", () => {
    const many = place("many", { use: { bytes: 1, files: 400_000 }, former: { bytes: 1, files: 1_000 } });
    expect(names(fillersOf([grown("large", 0, 80), many], "files", disk))).toEqual(["many"]);
  });
});

describe("the sentence for the owner", () => {
  const limits = DEFAULT_DISK_LIMITS;

  test("of an app over its limit says the size, the limit and what to do", () => {
    const large = place("shop", { use: { bytes: 2.5 * GIB, files: 7 } });
    expect(stopSentence(large, { shortage: "bytes", limits, isRemoved: false })).toBe(
      "The app shop was stopped: its files on the server's disk grew to 2.5 GiB, and an app may have 2 GiB. Keep files in " +
        "a database or in object storage and remove temporary ones, then start it again, or deploy it, which begins " +
        "without these files.",
    );
  });

  test("of an app that filled the disk says that its container went with its files", () => {
    const many = place("shop", { use: { bytes: 1, files: 900_000 } });
    expect(stopSentence(many, { shortage: "files", isRemoved: true })).toMatch(
      /nearly full, and its files grew most, to 900000 files\. Its container was removed with these files/,
    );
  });

  test("of a database over its limit says that its data is safe", () => {
    const volume = place("shop", { role: "database", use: { bytes: 11 * GIB, files: 7 } });
    expect(stopSentence(volume, { shortage: "bytes", limits, isRemoved: false })).toMatch(
      /its database on the server's disk grew to 11 GiB, and a database may have 10 GiB\. The database goes on/,
    );
  });
});
