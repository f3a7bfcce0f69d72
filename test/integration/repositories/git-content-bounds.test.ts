import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { PUSH_BOUNDS, PUSH_COMMANDS_MAX } from "@svc/control-plane/repositories/hosting/git-bounds.ts";
import { DiskRoom } from "@svc/control-plane/repositories/hosting/disk-room.ts";
import { packetLine, useHostedGitWorld } from "../../support/git/hosted-git-world.ts";

const GIB = 1024 ** 3;
const ZEROS = "0".repeat(40);

const world = useHostedGitWorld();

test("a flood of refs is refused with a sentence that git shows, and makes none of them", async () => {
  const id = await world.makeRepository("refs");
  const before = await world.contentOf(id);
  const flood = Array.from({ length: 100_000 }, (_, i) =>
    packetLine(`${ZEROS} ${"a".repeat(40)} refs/tags/${i}${i === 0 ? "\0 report-status side-band-64k" : ""}`),
  );
  const sentence = `A push may change at most ${PUSH_COMMANDS_MAX} branches and tags: push them in several parts.`;
  const body = Buffer.from(`${flood.join("")}0000`);
  expect(await world.post("refs", "git-receive-pack", body)).toContain(sentence);
  expect(await world.post("refs", "git-receive-pack", gzipSync(body), { "Content-Encoding": "gzip" })).toContain(
    sentence,
  );

  await world.client.clone(world.urlOf("refs"), "refs", world.ada.key);
  const sha = (await world.client.git("refs", undefined, "rev-parse", "HEAD")).text.trim();
  const tags = Array.from({ length: PUSH_COMMANDS_MAX + 1 }, (_, i) => `${sha} refs/tags/v${i}`);
  await writeFile(
    join(world.client.directory, "refs", ".git", "packed-refs"),
    `# pack-refs with: peeled fully-peeled sorted \n${tags.sort().join("\n")}\n`,
  );
  const refused = await world.client.git("refs", world.ada.key, "push", "--tags");
  expect(refused.ok).toBe(false);
  expect(refused.text).toContain(sentence);
  expect(await world.contentOf(id)).toEqual(before);
  expect(await world.client.git("refs", world.ada.key, "push", "origin", "refs/tags/v1*:refs/tags/v1*")).toMatchObject({
    ok: true,
  });
});

test("a body that unpacks to more than it may have is refused, and one in an unknown encoding too", async () => {
  const id = await world.makeRepository("gzip");
  const before = await world.contentOf(id);
  const gzip = { "Content-Encoding": "gzip" };
  const wants = gzipSync(Buffer.from(packetLine(`have ${"a".repeat(40)}\n`).repeat(100_000)));
  expect(await world.post("gzip", "git-upload-pack", wants, gzip)).toContain(
    "A clone's request may have at most 4 MiB",
  );
  expect(await world.post("gzip", "git-receive-pack", wants, { "Content-Encoding": "br" })).toContain("can't be read");
  expect(await world.contentOf(id)).toEqual(before);
});

test("a clone leaves out all files or all trees, and no other choice costs the host its time", async () => {
  await world.makeRepository("filtered");
  const clone = (filter: string) =>
    world.client.git(
      ".",
      world.ada.key,
      "clone",
      "--quiet",
      "--bare",
      `--filter=${filter}`,
      world.urlOf("filtered"),
      `by-${filter}.git`,
    );
  for (const filter of ["tree:0", "blob:none"]) expect(await clone(filter)).toMatchObject({ ok: true });
  for (const filter of ["tree:3", "blob:limit=1", "object:type=tree"]) {
    expect((await clone(filter)).text).toMatch(/not supported|not allowed|tree filter/);
  }
});

/** Makes the folder seem as large: nothing of it is written. */
async function inflate(id: string, bytes: number): Promise<void> {
  const file = await open(join(world.http.hosting.folders.pathOf(id), "objects", "sparse"), "w");
  await file.truncate(bytes);
  await file.close();
}

test("a repository, and all of an owner's together, hold a bounded number of bytes, and git shows which bound was met", async () => {
  const { eve } = world;
  const ids = new Map<string, string>();
  for (let i = 0; i < 6; i += 1) ids.set(`full-${i}`, await world.makeRepository(`full-${i}`, eve));
  expect(await world.client.clone(world.urlOf("full-0", eve), "full-0", eve.key)).toMatchObject({ ok: true });
  await world.client.commit("full-0", { "a.txt": "a" });

  await inflate(ids.get("full-0")!, GIB);
  expect((await world.client.git("full-0", eve.key, "push")).text).toContain("This repository has reached its 1 GiB");
  for (const id of ids.values()) await inflate(id, 900 * 1024 ** 2);
  expect((await world.client.git("full-0", eve.key, "push")).text).toContain(
    "Your 6 repositories have reached their 5 GiB together",
  );
  await world.makeRepository("elsewhere");
  await world.client.clone(world.urlOf("elsewhere"), "elsewhere", world.ada.key);
  await world.client.commit("elsewhere", { "a.txt": "a" });
  expect(await world.client.git("elsewhere", world.ada.key, "push")).toMatchObject({ ok: true });
  await inflate(ids.get("full-1")!, 0);
  expect(await world.client.git("full-0", eve.key, "push")).toMatchObject({ ok: true });
});

test("a push that would leave the disk too little is refused with a sentence that git shows, and works when there is room", async () => {
  const id = await world.makeRepository("disk");
  await world.client.clone(world.urlOf("disk"), "disk", world.ada.key);
  await world.client.commit("disk", { "a.txt": "a" });
  const before = await world.contentOf(id);
  const disk = {
    totalBytes: 20 * GIB,
    availableBytes: 2 * GIB + PUSH_BOUNDS.fileBytes - 1,
    inodesTotal: 0,
    inodesAvailable: 0,
  };
  const { hosting } = world.http;
  const real = hosting.disk;
  hosting.disk = new DiskRoom(hosting.folders.root, async () => ({ ...disk }));
  try {
    const refused = await world.client.git("disk", world.ada.key, "push");
    expect(refused.ok).toBe(false);
    expect(refused.text).toContain("There is no room for the push: only 2247 MiB of its disk are free on the server.");
    expect(await world.post("disk", "git-receive-pack", Buffer.from("0000"))).toContain(
      "There is no room for the push",
    );
    expect(await world.contentOf(id)).toEqual(before);
    expect(await world.client.clone(world.urlOf("disk"), "disk-again", world.ada.key)).toMatchObject({ ok: true });
    disk.availableBytes += 1;
    expect(await world.client.git("disk", world.ada.key, "push")).toMatchObject({ ok: true });
  } finally {
    hosting.disk = real;
  }
});
