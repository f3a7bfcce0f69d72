import { measureDeletedFiles } from "@svc/agent/bounds/deleted-files.ts";
import type { DiskUse } from "@svc/agent/engine/disk-limits.ts";
import type { ContainerState } from "@svc/agent/ports.ts";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createTestEngine, newApp, nodeContainer, type TestEngine } from "../../support/engine/docker.ts";
import { eventually } from "../../support/tools/eventually.ts";

const MIB = 1024 ** 2;

let test: TestEngine;

beforeEach(() => {
  test = createTestEngine();
});
afterEach(() => test.cleanUp());

/** A container whose processes hold the number of deleted files that the script opens. */
async function hold(script: string): Promise<ContainerState> {
  const holder = `const { openSync, unlinkSync, writeSync } = require("fs");
    const open = (path) => { const fd = openSync(path, "w"); unlinkSync(path); return fd; };
    const fill = (path, mib) => { const fd = open(path); for (; mib > 0; mib--) writeSync(fd, Buffer.alloc(2 ** 20, 1)); };
    ${script}
    setInterval(() => {}, 1000);`;
  return test.engine.run(nodeContainer(newApp(), holder));
}

it("a large deleted file is found behind ten thousand small ones of another app, whatever its name is", async () => {
  const crowd = await hold(`for (let i = 0; i < 11000; i++) open("/tmp/" + i);`);
  const large = await hold(`fill("/memfd:x", 20);`);
  const ids = new Set([crowd.id, large.id]);
  const uses = await eventually(
    () => measureDeletedFiles(ids),
    (found) => found.get(crowd.id)?.files === 11_000 && (found.get(large.id)?.bytes ?? 0) >= 20 * MIB,
    { what: "both apps' deleted files are found" },
  );
  expect(uses.get(large.id)?.files).toBe(1);
});

it("a deleted file in memory is no file on the disk, and one that is open twice counts once", async () => {
  const { id } = await hold(`fill("/dev/shm/x", 5); const fd = open("/tmp/x"); openSync("/proc/self/fd/" + fd, "r");
    for (let i = 0; i < 8; i++) writeSync(fd, Buffer.alloc(2 ** 20, 1));`);
  const uses = await eventually(
    () => measureDeletedFiles(new Set([id])),
    (found) => (found.get(id)?.bytes ?? 0) >= 8 * MIB,
    { what: "the deleted file is found" },
  );
  expect(uses.get(id)).toEqual({ bytes: 8 * MIB, files: 1 });
});

it("a deleted file that is only mapped is found, and counts once however often it is held; memory is no disk", async () => {
  const script = `import mmap, os, time
def mapped(fd, times=1):
    maps = [mmap.mmap(fd, 4096) for _ in range(times)]
    os.closerange(fd, 64)
    return maps
def deleted(path, size):
    fd = os.open(path, os.O_CREAT | os.O_RDWR)
    os.posix_fallocate(fd, 0, size << 20)
    os.unlink(path)
    return fd
memory = os.memfd_create("x")
os.truncate(memory, 5 << 20)
held = [mmap.mmap(-1, 5 << 20), mapped(memory), mapped(deleted("/dev/shm/x", 5))]
held += [mapped(deleted("/tmp/memfd:x", 20), 3)]
open_too = deleted("/tmp/y", 8)
held += [mmap.mmap(open_too, 4096)]
os.fork()
time.sleep(3600)`;
  expect(await usesOf(script, 2)).toEqual({ bytes: 28 * MIB, files: 2 });
});

it("deleted files that only a thread holds are found, though the first thread has ended", async () => {
  const script = `import ctypes, mmap, os, threading, time
libc = ctypes.CDLL(None)
CLOSE_RANGE, CLOSE_RANGE_UNSHARE = 436, 2
def deleted(path, size):
    fd = os.open(path, os.O_CREAT | os.O_RDWR)
    os.posix_fallocate(fd, 0, size << 20)
    os.unlink(path)
    return fd
def hold(path):
    assert libc.syscall(CLOSE_RANGE, 1000, 1000, CLOSE_RANGE_UNSHARE) == 0
    deleted(path, 20)
    time.sleep(3600)
threading.Thread(target=hold, args=("/tmp/x",)).start()
time.sleep(0.5)
threading.Thread(target=lambda: time.sleep(3600)).start()
if os.fork() == 0:
    threading.Thread(target=hold, args=("/tmp/y",)).start()
    fd = deleted("/tmp/z", 8)
    held = mmap.mmap(fd, 4096)
    os.close(fd)
    time.sleep(0.5)
    libc.pthread_exit(None)
time.sleep(3600)`;
  expect(await usesOf(script, 3)).toEqual({ bytes: 48 * MIB, files: 3 });
});

/** Measures a container that runs the script in Python, once so many deleted files of it are found. */
async function usesOf(script: string, files: number): Promise<DiskUse | undefined> {
  const fields = { image: "python:3.11-slim", command: ["python3", "-c", script] };
  const { id } = await test.engine.run(nodeContainer(newApp(), "", fields));
  const uses = await eventually(
    () => measureDeletedFiles(new Set([id])),
    (found) => (found.get(id)?.files ?? 0) >= files,
    { what: "the deleted files are found" },
  );
  return uses.get(id);
}
