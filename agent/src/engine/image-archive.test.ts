import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { extract, pack } from "tar-stream";
import { expect, test } from "vitest";
import { withoutNames } from "./image-archive.ts";

type Header = Parameters<ReturnType<typeof pack>["entry"]>[0];

function archive(entries: readonly [Header, string | Buffer][]): AsyncIterable<Buffer> {
  const tar = pack();
  for (const [header, text] of entries) tar.entry(header, text);
  tar.finalize();
  return Readable.from(tar, { objectMode: false });
}

async function contents(tar: AsyncIterable<Buffer>): Promise<Record<string, string>> {
  const reader = extract();
  const fed = pipeline(Readable.from(tar, { objectMode: false }), reader);
  fed.catch((error: Error) => reader.destroy(error));
  const found: Record<string, string> = {};
  for await (const entry of reader) found[entry.header.name] = (await buffer(entry)).toString();
  await fed;
  return found;
}

const [L, C] = ["1".repeat(64), "c".repeat(64)];

test("an image keeps its layers and loses its names, in each of the files that name it", async () => {
  const manifest = [{ Config: `blobs/sha256/${C}`, RepoTags: ["node:22"], Layers: [`blobs/sha256/${L}`] }];
  const index = { manifests: [{ digest: "sha256:m", annotations: { "io.containerd.image.name": "node:22" } }] };
  const tar = archive([
    [{ name: `blobs/sha256/${L}` }, "layer"],
    [{ name: "manifest.json" }, JSON.stringify(manifest)],
    [{ name: "./index.json" }, JSON.stringify(index)],
    [{ name: "repositories" }, JSON.stringify({ node: { 22: "l" } })],
  ]);
  const found = await contents(withoutNames(tar));
  expect(Object.keys(found)).toEqual([`blobs/sha256/${L}`, "manifest.json", "index.json"]);
  expect(JSON.parse(found["manifest.json"]!)).toEqual([{ ...manifest[0], RepoTags: null }]);
  expect(found["index.json"]).not.toContain("node:22");
});

test.each([
  { what: "a link in the place of a description", header: { name: "manifest.json", type: "symlink", linkname: "a" } },
  { what: "a link out of the archive", header: { name: "a", type: "symlink", linkname: "/etc" } },
  { what: "a hard link", header: { name: "a", type: "link", linkname: "manifest.json" } },
  { what: "a path out of the archive", header: { name: "../a" } },
] as const)("an archive with $what is refused", async ({ header }) => {
  await expect(contents(withoutNames(archive([[{ ...header }, ""]])))).rejects.toThrow(/has an entry/);
});

test("an archive of several images is refused", async () => {
  const text = JSON.stringify([{ RepoTags: null }, { RepoTags: null }]);
  await expect(contents(withoutNames(archive([[{ name: "manifest.json" }, text]])))).rejects.toThrow(
    /Too big|expected/,
  );
});

const MANIFEST = JSON.stringify([{ Config: "c", RepoTags: ["postgres:16"], Layers: [] }]);
/** Go's reader takes the name of such a file from the record (GNU tar, "Storing Sparse Files"). */
const SPARSE = {
  "GNU.sparse.major": "1",
  "GNU.sparse.minor": "0",
  "GNU.sparse.name": "manifest.json",
  "GNU.sparse.realsize": String(MANIFEST.length),
};

test.each<[string, Header, string | Buffer]>([
  ["has a name that no image has", { name: "zzz" }, MANIFEST],
  ["has a description as a folder", { name: "manifest.json/" }, MANIFEST],
  ["has a description by a longer way", { name: "blobs/../manifest.json" }, MANIFEST],
  ["has a pax record with a description's name", { name: "x", pax: { path: "manifest.json/" } }, MANIFEST],
  ["is a link", { name: "manifest.json", type: "symlink", linkname: "blobs" }, ""],
  ["has a compressed layer", { name: `${L}/layer.tar` }, Buffer.from("1f8b08", "hex")],
])("an archive with an entry that %s is refused", async (_, header, text) => {
  await expect(contents(withoutNames(archive([[header, text]])))).rejects.toThrow("none has");
});

test("an entry has nothing but its name and its bytes, whatever records came with it", async () => {
  const body = `1\n0\n${MANIFEST.length}\n`.padEnd(512, "\0") + MANIFEST;
  const tar = withoutNames(archive([[{ name: `${L}/json`, pax: SPARSE }, body]]));
  const bytes = await buffer(Readable.from(tar, { objectMode: false }));
  expect(bytes.includes("GNU.sparse")).toBe(false);
  expect(bytes.includes(`${L}/json`)).toBe(true);
});
