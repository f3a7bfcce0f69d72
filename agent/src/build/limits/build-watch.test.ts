import { SvcError } from "@svc/shared/errors.ts";
import { silentLogger } from "@svc/shared/platform/logger.ts";
import { afterEach, expect, it, vi } from "vitest";
import { createDummyHost } from "../../dummy/host.ts";
import { watchBuild, type BuildWatch } from "./build-watch.ts";
import { DEFAULT_WATERMARKS } from "./build-watermarks.ts";

const MIB = 1024 ** 2;
const WITHIN = { timeout: 10_000 };

let watch: BuildWatch | undefined;
afterEach(() => watch?.stop());

/** Watches a build on a host of 4 GiB, of which builds leave 256 MiB when they start. */
function watchOn(memoryAvailableBytes: number): { signal: AbortSignal; memory: ReturnType<typeof vi.fn> } {
  const host = createDummyHost();
  host.knobs.memoryAvailableBytes = memoryAvailableBytes;
  const memory = vi.fn(host.memory);
  watch = watchBuild({
    host: { ...host, memory },
    directories: ["/"],
    watermarks: DEFAULT_WATERMARKS,
    hold: { look: () => Promise.resolve([]) },
    isInstructionRunning: () => true,
    log: silentLogger,
  });
  return { signal: watch.signal, memory };
}

it("a build is ended with a sentence when the host has less memory than half of what builds leave", async () => {
  const { signal } = watchOn(127 * MIB);
  await vi.waitFor(() => expect(signal.aborted).toBe(true), WITHIN);
  expect(signal.reason).toBeInstanceOf(SvcError);
  expect(signal.reason).toMatchObject({
    code: "build_out_of_memory",
    message: expect.stringContaining("only 127 MiB"),
  });
});

it("a build goes on that takes what it may of a host's memory, and is looked at all the time", async () => {
  const { signal, memory } = watchOn(128 * MIB);
  await vi.waitFor(() => expect(memory.mock.calls.length).toBeGreaterThan(2), WITHIN);
  expect(signal.aborted).toBe(false);
});
