import { expect, test } from "vitest";
import type { StoragePlace } from "../ports.ts";
import { DiskLedger } from "./disk-ledger.ts";

const place = (path: string): StoragePlace => {
  return { containerId: path, appId: path, appName: path, role: "app", paths: [path] };
};
const [small, large] = [place("/small"), place("/large")];

function ledgerWith(files: number): DiskLedger {
  const ledger = new DiskLedger();
  ledger.record(small.containerId, { bytes: 1, files: 10 }, 0);
  ledger.record(large.containerId, { bytes: 1, files }, 0);
  return ledger;
}

test("a place with many files is measured less often, and each more often while the disk fills fast", () => {
  const ledger = ledgerWith(100_000);
  expect(ledger.due([large, small], 4_999, "calm")).toEqual([]);
  expect(ledger.due([large, small], 5_000, "calm")).toEqual([small]);
  expect(ledger.due([large, small], 10_000, "calm")).toEqual([small, large]);
  expect(ledger.due([large, small], 1_000, "hasty")).toEqual([small]);
  expect(ledger.due([large, small], 2_000, "hasty")).toEqual([small, large]);
});

test("a place that is not known yet is measured at once", () => {
  expect(new DiskLedger().due([small], 1, "calm")).toEqual([small]);
});

test("while the disk is short of room every container is measured at each look", () => {
  expect(ledgerWith(100_000).due([large, small], 1, "urgent")).toEqual([small, large]);
});

test("bytes that a container holds at the first look are no growth, and those of a later one are", () => {
  const ledger = new DiskLedger();
  const [held, grown] = [
    { bytes: 50, files: 5 },
    { bytes: 60, files: 5 },
  ];
  ledger.due([small], 0, "urgent");
  ledger.record(small.containerId, held, 0);
  ledger.due([small, large], 10_000, "calm");
  ledger.record(small.containerId, grown, 10_000);
  ledger.record(large.containerId, held, 10_000);
  expect(ledger.measured([small, large]).map(({ former }) => former)).toEqual([held, { bytes: 0, files: 0 }]);
});

test("growth is told over a minute at least and two at most, however often a place is measured", () => {
  const ledger = new DiskLedger();
  for (let second = 0; second <= 300; second += 1) {
    ledger.record(small.containerId, { bytes: second, files: 1 }, second * 1000);
    const [{ use, former } = { use: { bytes: 0 }, former: { bytes: 0 } }] = ledger.measured([small]);
    const growth = use.bytes - former.bytes;
    expect(growth).toBeGreaterThanOrEqual(Math.min(second, 60));
    expect(growth).toBeLessThan(120);
  }
});

test("the bytes of a removed place are forgotten", () => {
  const ledger = ledgerWith(5);
  ledger.measured([small]);
  expect(ledger.measured([small, large])).toHaveLength(1);
});
