import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { systemClock } from "@svc/shared/platform/clock.ts";
import { silentLogger } from "@svc/shared/platform/logger.ts";
import { beginTrial } from "./trial.ts";

const VERSION = "0.2.0+111111111111";
let root: string;
let end: (why: Error) => void;
let stopping: AbortController;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  root = mkdtempSync(join(tmpdir(), "svc-trial-"));
  mkdirSync(join(root, "versions", VERSION), { recursive: true });
  symlinkSync(join("versions", VERSION), join(root, "current"));
  end = vi.fn();
  stopping = new AbortController();
});
afterEach(() => {
  stopping.abort();
  vi.useRealTimers();
  rmSync(root, { recursive: true, force: true });
});

const begin = () =>
  beginTrial({
    installation: { root, version: VERSION },
    clock: systemClock,
    log: silentLogger,
    signal: stopping.signal,
    end,
  });
const isOnTrial = (): boolean => existsSync(join(root, "trial"));
const onTrial = (): void => writeFileSync(join(root, "trial"), "");

it("a new version that no control plane calls within a minute ends", async () => {
  onTrial();
  await begin();
  await vi.advanceTimersByTimeAsync(59_999);
  expect(end).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(end).toHaveBeenCalledWith(expect.objectContaining({ message: expect.stringContaining(VERSION) }));
  expect(isOnTrial()).toBe(true);
});

it("a new version that is called is on trial for 10 s more, and stays then", async () => {
  onTrial();
  const trial = await begin();
  await vi.advanceTimersByTimeAsync(50_000);
  trial.called();
  await vi.advanceTimersByTimeAsync(9_999);
  expect(isOnTrial()).toBe(true);
  trial.called();
  await vi.advanceTimersByTimeAsync(1);
  while (isOnTrial()) await new Promise(setImmediate);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(end).not.toHaveBeenCalled();
});

it("a new version that is stopped meanwhile stays on trial", async () => {
  onTrial();
  const trial = await begin();
  trial.called();
  stopping.abort();
  await vi.advanceTimersByTimeAsync(60_000);
  expect([isOnTrial(), vi.mocked(end).mock.calls.length]).toEqual([true, 0]);
});

it("a version that has proven itself before has no time limit", async () => {
  await begin();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(end).not.toHaveBeenCalled();
});
