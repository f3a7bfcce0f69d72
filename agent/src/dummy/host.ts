import type { Host } from "../ports.ts";

export interface DummyHostKnobs {
  memoryAvailableBytes: number;
  diskAvailableBytes: number;
}

export interface DummyHost extends Host {
  knobs: DummyHostKnobs;
}

const GIB = 1024 ** 3;

/** The Host port of a machine with 4 GiB of memory, 2 cores and 50 GiB of disk; the knobs say what is left. */
export function createDummyHost(): DummyHost {
  const knobs: DummyHostKnobs = { memoryAvailableBytes: 2 * GIB, diskAvailableBytes: 20 * GIB };
  return {
    knobs,
    memory: () => Promise.resolve({ totalBytes: 4 * GIB, availableBytes: knobs.memoryAvailableBytes }),
    disk: () =>
      Promise.resolve({
        totalBytes: 50 * GIB,
        availableBytes: knobs.diskAvailableBytes,
        inodesTotal: 3_000_000,
        inodesAvailable: 2_000_000,
      }),
    cpu: () => Promise.resolve({ cores: 2, usedRatio: 0.25, load1m: 0.5 }),
  };
}
