import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { extract, pack } from "tar-stream";
import { expect, test } from "vitest";
import { withoutNames } from "./image-archive.ts";

type Header = Parameters<ReturnType<typeof pack>["entry"]>[0];

function archive(entries: readonly [Header, string][]): AsyncIterable<Buffer> {
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

test("an image keeps its layers and loses its names, in each of the files that name it", async () => {
  const manifest = [{ Config: "blobs/sha256/c", RepoTags: ["node:22"], Layers: ["blobs/sha256/l"] }];
  const index = { manifests: [{ digest: "sha256:m", annotations: { "io.containerd.image.name": "node:22" } }] };
  const tar = archive([
    [{ name: "blobs/sha256/l" }, "layer"],
    [{ name: "manifest.json" }, JSON.stringify(manifest)],
    [{ name: "./index.json" }, JSON.stringify(index)],
    [{ name: "repositories" }, JSON.stringify({ node: { 22: "l" } })],
  ]);
  const found = await contents(withoutNames(tar));
  expect(Object.keys(found)).toEqual(["blobs/sha256/l", "manifest.json", "index.json"]);
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
