import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@svc/shared/platform/clock.ts";
import { silentLogger as log } from "@svc/shared/platform/logger.ts";
import { expect, onTestFinished, test } from "vitest";
import { pruneDumps } from "./prune-dumps.ts";

const DAY_SECONDS = 24 * 60 * 60;

test("dumps stay for 7 days and go then; without any there is nothing to do", async () => {
  const directory = mkdtempSync(join(tmpdir(), "svc-dumps-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const options = { directory, clock: systemClock, log };
  const now = Date.now() / 1000;
  for (const [name, days] of [
    ["old.dump", 7.1],
    ["old.tar.part", 8],
    ["young.dump", 6.9],
  ] as const) {
    writeFileSync(join(directory, name), "x");
    utimesSync(join(directory, name), now, now - days * DAY_SECONDS);
  }
  await pruneDumps(options);
  expect(readdirSync(directory)).toEqual(["young.dump"]);
  await pruneDumps({ ...options, directory: join(directory, "missing") });
});
