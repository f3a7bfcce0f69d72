import { randomBytes } from "node:crypto";
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, rename, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DiskRoom } from "@svc/control-plane/repositories/hosting/disk-room.ts";
import { RepositoryFolders } from "@svc/control-plane/repositories/hosting/repository-folders.ts";
import {
  needsRepack,
  PACKS_MAX,
  removeLeftovers,
  repack,
} from "@svc/control-plane/repositories/hosting/repository-upkeep.ts";
import { startRepositoryKeeper } from "@svc/control-plane/repositories/repository-keeper.ts";
import { systemClock } from "@svc/shared/platform/clock.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { DISK_WATERMARKS } from "@svc/shared/rules/disk-watermarks.ts";
import { silentLogger as log } from "@svc/shared/platform/logger.ts";
import { eventually } from "../../support/tools/eventually.ts";
import { makeGitClient, type GitClient } from "../../support/git/git-client.ts";

let root: string;
let folders: RepositoryFolders;
let disk: DiskRoom;
let client: GitClient;
/** Many pushes have left a pack each in it. */
let scattered: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "svc-repositories-"));
  folders = new RepositoryFolders(root);
  disk = new DiskRoom(root);
  client = await makeGitClient();
  const { path, push } = await makeRepository();
  for (let i = 0; i <= PACKS_MAX; i += 1) await push(512 * 1024);
  // Elsewhere, so that no keeper packs it.
  scattered = await mkdtemp(join(tmpdir(), "svc-scattered-"));
  await rename(path, scattered);
});
afterAll(async () => {
  await client.remove();
  for (const folder of [root, scattered]) await rm(folder, { recursive: true, force: true });
});

/**
 * A hosted repository with a working copy of the same name, whose pushes stay packs.
 * @param from a repository that it begins as
 */
async function makeRepository(from?: string) {
  const id = newId();
  await folders.createEmpty(id);
  const path = folders.pathOf(id);
  if (from !== undefined) await cp(from, path, { recursive: true });
  await client.clone(path, id, undefined);
  await client.git(id, undefined, "-C", path, "config", "receive.unpackLimit", "1");
  let count = from === undefined ? 0 : PACKS_MAX + 1;
  const push = async (bytes = 10): Promise<void> => {
    await client.commit(id, { [`file-${(count += 1)}`]: randomBytes(bytes) });
    expect(await client.git(id, undefined, "push", "--quiet", "origin", "HEAD:main")).toMatchObject({ ok: true });
  };
  return { id, path, push };
}

async function namesIn(path: string): Promise<string[]> {
  return (await readdir(join(path, "objects", "pack"))).sort();
}

const packsIn = async (path: string): Promise<number> =>
  (await namesIn(path)).filter((name) => name.endsWith(".pack")).length;

/** Throws when anything is missing or broken. */
async function requireWhole(path: string): Promise<void> {
  await promisify(execFile)("git", ["--git-dir", path, "fsck", "--full", "--strict"]);
}

const never = new AbortController().signal;

test("a repository that many pushes have scattered is packed anew by itself, and others are left alone", async () => {
  const [many, few] = [await makeRepository(scattered), await makeRepository()];
  for (let i = 0; i < 3; i += 1) await few.push();
  const before = await namesIn(few.path);
  const keeper = startRepositoryKeeper({ hosting: { folders, disk }, clock: systemClock, log });
  try {
    await eventually(
      () => packsIn(many.path),
      (packs) => packs === 1,
      { what: "one pack" },
    );
    await requireWhole(many.path);
    await many.push();
    expect((await client.clone(many.path, `${many.id}-again`, undefined)).ok).toBe(true);
    expect(await readdir(join(client.directory, `${many.id}-again`))).toHaveLength(PACKS_MAX + 3);
    expect(await namesIn(few.path)).toEqual(before);
  } finally {
    await keeper.stop();
  }
});

test("an upkeep that is killed in the middle leaves a valid repository, which the next one packs", async () => {
  const { path, push } = await makeRepository(scattered);
  for (const name of [/^\.tmp-|^tmp_/, /\.pack$/]) {
    const before = new Set(await namesIn(path));
    const killing = new AbortController();
    const killed = repack(path, killing.signal).catch((error: unknown) => error);
    await eventually(
      async () => (await namesIn(path)).find((one) => name.test(one) && !before.has(one)),
      (found) => found !== undefined,
      { what: `a file like ${name.source}`, intervalMs: 1 },
    );
    killing.abort(new Error("killed"));
    expect(await killed).toMatchObject({ message: "killed" });
    await requireWhole(path);
    await push(512 * 1024);
  }
  await removeLeftovers(path, new Date(Date.now() + 1_000));
  expect((await namesIn(path)).filter((name) => /tmp/.test(name))).toEqual([]);
  await repack(path, never);
  expect(await packsIn(path)).toBe(1);
  await requireWhole(path);
});

test("pushes that arrive while a repository is packed anew are all kept", async () => {
  const { id, path, push } = await makeRepository(scattered);
  let isOver = false;
  const packing = (async () => {
    while (!isOver) await repack(path, never);
  })();
  for (let i = 0; i < 10; i += 1) await push(256 * 1024);
  isOver = true;
  await packing;
  await requireWhole(path);
  const { text } = await client.git(id, undefined, "-C", path, "rev-list", "--count", "main");
  expect(text.trim()).toBe(String(PACKS_MAX + 11));
});

test("leftovers of killed processes go after their time, so that no push waits for ever for a lock of nobody", async () => {
  const { id, path, push } = await makeRepository();
  await push();
  await mkdir(join(path, "objects", "tmp_objdir-incoming-Abc123"));
  const leftovers = [
    "refs/heads/main.lock",
    "packed-refs.lock",
    "objects/pack/tmp_pack_Abc",
    "objects/pack/.tmp-1-pack-a.pack",
  ];
  for (const name of leftovers) await writeFile(join(path, name), "");
  const kept = await namesIn(path);
  await removeLeftovers(path, new Date(Date.now() - 60_000));
  expect(await namesIn(path)).toEqual(kept);
  await client.commit(id, { more: "more" });
  expect((await client.git(id, undefined, "push", "origin", "HEAD:main")).text).toContain("main.lock");

  const anHourAgo = new Date(Date.now() - 3_600_000);
  for (const name of [...leftovers, "objects/tmp_objdir-incoming-Abc123"]) {
    await utimes(join(path, name), anHourAgo, anHourAgo);
  }
  const keeper = startRepositoryKeeper({ hosting: { folders, disk }, clock: systemClock, log });
  await eventually(
    // A folder that goes while it is read is looked at again.
    () => readdir(path, { recursive: true }).catch(() => ["tmp_gone"]),
    (names) => !names.some((name) => /tmp_|\.tmp-|\.lock$/.test(name)),
    { what: "nothing is left over" },
  );
  await keeper.stop();
  await push();
  await requireWhole(path);
});

test("a repository is left as it is while the disk has no room for a second copy of it", async () => {
  const { id, path } = await makeRepository(scattered);
  const before = await namesIn(path);
  const availableBytes = DISK_WATERMARKS.diskBytesMin + (await folders.sizeOf(id)) - 1;
  const space = { totalBytes: availableBytes, availableBytes, inodesTotal: 0, inodesAvailable: 0 };
  const warnings: unknown[] = [];
  const keeper = startRepositoryKeeper({
    hosting: { folders, disk: new DiskRoom(root, async () => space) },
    clock: systemClock,
    log: { ...log, warn: (fields: unknown) => void warnings.push(fields) } as typeof log,
  });
  await eventually(
    () => warnings,
    (seen) => seen.some((one) => (one as { repository_id: string }).repository_id === id),
    { what: "a warning" },
  );
  await keeper.stop();
  expect(warnings).toContainEqual({ err: expect.objectContaining({ code: "disk_full" }), repository_id: id });
  expect(await namesIn(path)).toEqual(before);
});

test("many loose refs are a reason to pack as well", async () => {
  const { id, path, push } = await makeRepository();
  await push();
  expect(await needsRepack(path)).toBe(false);
  const tags = Array.from({ length: 250 }, (_, i) => `HEAD:refs/tags/v${i}`);
  await client.git(id, undefined, "fetch", "--quiet", ".", ...tags);
  await client.git(id, undefined, "push", "--quiet", "--tags", "origin");
  expect(await needsRepack(path)).toBe(true);
  await repack(path, never);
  expect(await needsRepack(path)).toBe(false);
  expect(await folders.refCount(id)).toBe(251);
});
