import { execFile } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { open, rm, stat, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Code } from "@connectrpc/connect";
import { AppStore } from "@svc/agent/log-store/app-store.ts";
import { withinDiskRoom } from "@svc/agent/platform/disk-room.ts";
import { createHost } from "@svc/agent/host/host.ts";
import { explainFullDisk, isErrno } from "@svc/agent/platform/durable-file.ts";
import { openJournal } from "@svc/agent/runner/journal.ts";
import { openLock } from "@svc/agent/runner/lock.ts";
import { toWireError } from "@svc/agent/link/rpc/errors.ts";
import { systemClock } from "@svc/shared/platform/clock.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { silentLogger as log } from "@svc/shared/platform/logger.ts";
import { afterEach, beforeEach, expect, it } from "vitest";

const run = promisify(execFile);
let dataDirectory: string;

beforeEach(async () => {
  dataDirectory = mkdtempSync(join(tmpdir(), "svc-full-"));
  await run("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", dataDirectory]);
});

afterEach(async () => {
  await run("umount", ["--lazy", dataDirectory]);
  rmSync(dataDirectory, { recursive: true, force: true });
});

const ballast = (): string => join(dataDirectory, "ballast");

async function fill(): Promise<void> {
  const file = await open(ballast(), "w");
  try {
    for (;;) await file.write(Buffer.alloc(4096));
  } catch (error) {
    if (!isErrno(error, "ENOSPC")) throw error;
  } finally {
    await file.close();
  }
}

async function thrownBy(work: () => Promise<unknown>): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new Error("it was expected to fail");
}

it("a run that a full disk kept from beginning begins once there is room", async () => {
  const journal = await openJournal({ dataDirectory, clock: systemClock, log });
  const key = { deployId: newId(), step: "clone_build", run: 1 } as const;
  const begin = () => journal.begin(key, { id: newId(), name: "shop" }, () => undefined);
  await fill();
  expect(explainFullDisk(await thrownBy(begin))).toMatchObject({ code: "disk_full" });
  expect(await journal.find(key)).toBeUndefined();
  await rm(ballast());
  await (await begin()).finish({ case: "success", value: {} });
  expect((await journal.find(key))?.result?.outcome.case).toBe("success");
});

it("a lock that can't be written is refused with disk_full and taken once there is room", async () => {
  const lock = await openLock({ dataDirectory, clock: systemClock });
  const scope = { appId: newId(), isRollback: false };
  const take = () => lock.take({ deployId: newId(), attempt: 1 }, scope, 30, () => Promise.resolve());
  await fill();
  const wire = toWireError(await thrownBy(take), log, () => expect.unreachable("a full disk is foreseen"));
  expect(wire.code).toBe(Code.ResourceExhausted);
  expect(wire.message).toMatch(/data directory is full/);
  expect(lock.current()).toBeUndefined();
  await rm(ballast());
  await take();
});

const loggedLines = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    time: new Date(i),
    text: `line ${i} ${"x".repeat(200)}`,
    output: "stdout" as const,
  }));
const room = async (): Promise<number> => (await createHost().disk(dataDirectory)).availableBytes;

it("lines of an app that a full disk has no room for take none of it", async () => {
  const store = new AppStore(join(dataDirectory, "app"));
  await store.append(loggedLines(10), {});
  await fill();
  await truncate(ballast(), (await stat(ballast())).size - 32 * 1024);
  const before = await room();
  expect(before).toBeGreaterThan(0);
  expect(await thrownBy(() => store.append(loggedLines(1000), {}))).toMatchObject({ code: "ENOSPC" });
  expect(await room()).toBe(before);
  await store.append(loggedLines(10), {});
});

it("an app's log is removed from a disk that is full of it", async () => {
  const store = new AppStore(join(dataDirectory, "app"));
  await store.append(loggedLines(200), {});
  await fill();
  await store.remove((await store.segments()).map(({ path }) => path));
  expect(await room()).toBeGreaterThan(0);
  expect(await store.segments()).toEqual([]);
  await store.append(loggedLines(10), {});
  expect(await new AppStore(join(dataDirectory, "app")).segments()).toHaveLength(1);
});

it("a process that writes into a directory is ended before its disk is full", async () => {
  const looks = new EventEmitter();
  const host = createHost();
  const disk: typeof host.disk = (path) => host.disk(path).finally(() => looks.emit("look"));
  const room = {
    host: { disk },
    directory: dataDirectory,
    what: "the repository",
    watermarks: { diskBytesMin: 128 * 1024, ratioMin: 0 },
  };
  const growing = withinDiskRoom(room, async (signal) => {
    const file = await open(ballast(), "w");
    try {
      for (;;) {
        await file.write(Buffer.alloc(32 * 1024));
        await once(looks, "look", { signal });
      }
    } finally {
      await file.close();
    }
  });
  await expect(growing).rejects.toMatchObject({
    code: "disk_full",
    message: expect.stringContaining("the repository"),
  });
  expect((await host.disk(dataDirectory)).availableBytes).toBeGreaterThan(0);
  await expect(withinDiskRoom(room, () => expect.unreachable("there is no room"))).rejects.toMatchObject({
    code: "disk_full",
  });
});
