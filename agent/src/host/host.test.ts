import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { createHost, meminfoBytes } from "./host.ts";

test("the host's figures are plausible", async () => {
  const host = createHost();
  const memory = await host.memory();
  expect(memory.availableBytes).toBeGreaterThan(0);
  expect(memory.availableBytes).toBeLessThanOrEqual(memory.totalBytes);
  const disk = await host.disk(tmpdir());
  expect(disk.availableBytes).toBeLessThanOrEqual(disk.totalBytes);
  expect(disk.inodesAvailable).toBeLessThanOrEqual(disk.inodesTotal);
  const cpu = await host.cpu();
  expect(cpu.cores).toBeGreaterThan(0);
  expect(cpu.usedRatio).toBeGreaterThanOrEqual(0);
  expect(cpu.usedRatio).toBeLessThanOrEqual(1);
});

test("a line of /proc/meminfo is read in bytes", () => {
  const meminfo = "MemTotal:       16384 kB\nMemFree:  1 kB\nMemAvailable:    8192 kB\n";
  expect(meminfoBytes(meminfo, "MemAvailable")).toBe(8_388_608);
  expect(meminfoBytes(meminfo, "SwapTotal")).toBeUndefined();
});
