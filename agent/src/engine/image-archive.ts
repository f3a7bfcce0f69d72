import { pipeline } from "node:stream/promises";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { SvcError } from "@svc/shared/errors.ts";
import { LABEL_APP } from "@svc/shared/rules/labels.ts";
import { extract, pack, type Extract, type Pack } from "tar-stream";
import { z } from "zod";
import type { AppRef } from "../ports.ts";
import type { DockerContext } from "./context.ts";
import { readToEnd } from "./engine-answer.ts";
import { unless } from "./errors.ts";
import { requireImage } from "./images.ts";

/** The app's image with all of its layers, as `docker save` writes it; read as slowly as the caller takes it. */
export async function* saveImage(ctx: DockerContext, digest: string, app: AppRef): AsyncGenerator<Buffer> {
  await requireImage(ctx, digest, app);
  const stream = (await ctx.docker.getImage(digest).get()) as Readable;
  try {
    for await (const chunk of stream) yield chunk as Buffer;
  } finally {
    stream.destroy();
  }
}

/**
 * Takes an image of the app that another host has saved, under a name that only this host can make. Whatever names the
 * archive gives its image are left out: another host must not replace an image that others are built from or run.
 * @throws SvcError not_found when the archive has another image, or one of another app
 */
export async function loadImage(
  ctx: DockerContext,
  archive: AsyncIterable<Uint8Array>,
  { digest, app, tag }: { digest: string; app: AppRef; tag: string },
): Promise<void> {
  const nameless = Readable.from(withoutNames(archive), { objectMode: false });
  let loaded: string[];
  try {
    const answer = (await ctx.docker.loadImage(nameless, { quiet: true })) as unknown as AsyncIterable<Buffer>;
    loaded = (await readToEnd(answer)).flatMap((text) => /sha256:[0-9a-f]{64}/.exec(text) ?? []);
  } finally {
    nameless.destroy();
  }
  const image = await unless([404], ctx.docker.getImage(digest).inspect());
  if (image?.Config.Labels?.[LABEL_APP] !== app.id) {
    for (const id of loaded) await removeNameless(ctx, id);
    throw new SvcError("not_found", `The other server sent another image than ${digest} of ${app.name}.`);
  }
  await ctx.docker.getImage(digest).tag({ repo: ctx.names.repositoryOf(app.id), tag });
}

/** Removes an image that nobody has named or uses, as one that was loaded by mistake. */
async function removeNameless({ docker }: DockerContext, id: string): Promise<void> {
  const image = await unless([404], docker.getImage(id).inspect());
  if (image && (image.RepoTags ?? []).length === 0) await unless([404, 409], docker.getImage(id).remove());
}

const MANIFEST = "manifest.json";
const INDEX = "index.json";
/** Names by repository, of engines before 1.10. */
const REPOSITORIES = "repositories";
const DESCRIPTIONS: ReadonlySet<string> = new Set([MANIFEST, INDEX, REPOSITORIES]);
/** All that `docker save` writes: a folder for each layer, or since version 25 the OCI image layout. */
const ENTRY =
  /^(?:[0-9a-f]{64}(?:\.json|\/(?:VERSION|json|layer\.tar)?)?|blobs\/?|blobs\/sha256\/?|blobs\/sha256\/[0-9a-f]{64}|oci-layout|manifest\.json|index\.json|repositories)$/;
/** How gzip, bzip2, xz and Zstandard begin. An engine unpacks such layers, to whatever size; `docker save` writes none. */
const COMPRESSED = ["1f8b", "425a68", "fd377a585a00", "28b52ffd"];
/** They list layers, of which an image has 127 at most. */
const DESCRIPTION_BYTES_MAX = 1024 * 1024;
/** An older engine saves a layer that two images share once, and a link to it. */
const SHARED_LAYER = /^\.\.\/[0-9a-f]{64}\/layer\.tar$/;

const manifest = z.array(z.looseObject({ RepoTags: z.unknown() })).length(1);
const index = z.looseObject({ manifests: z.array(z.looseObject({ annotations: z.unknown() })) });

type Entry = Extract extends AsyncIterable<infer E> ? E : never;

/** The archive of one image, without the image's names. @throws SvcError invalid_request, Error for what is no such archive */
export async function* withoutNames(archive: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const to = pack();
  const writing = pipeline(Readable.from(archive, { objectMode: false }), async (source: AsyncIterable<Buffer>) => {
    const reader = extract();
    const fed = pipeline(source, reader);
    fed.catch((error: Error) => reader.destroy(error));
    for await (const entry of reader) await copyEntry(entry, to);
    await fed;
    to.finalize();
  });
  writing.catch((error: Error) => to.destroy(error));
  try {
    for await (const chunk of to) yield chunk as Buffer;
    await writing;
  } finally {
    to.destroy();
  }
}

/** Writes a header of its own: an engine reads more in one than its name (tar(5), the keywords of pax headers). */
async function copyEntry(entry: Entry, to: Pack): Promise<void> {
  const { type, linkname = "", size = 0 } = entry.header;
  const name = entry.header.name.replace(/^\.\//, "");
  if (!ENTRY.test(name)) throw refused(entry.header.name);
  if (DESCRIPTIONS.has(name)) {
    if (type !== "file" || size > DESCRIPTION_BYTES_MAX) throw refused(name);
    const text = nameless(name, JSON.parse((await buffer(entry)).toString("utf8")));
    if (text !== undefined) to.entry({ name, mode: 0o644 }, text);
    return;
  }
  // A link could stand in for a description that was left out.
  if (type === "symlink" ? !SHARED_LAYER.test(linkname) : type !== "file" && type !== "directory") throw refused(name);
  if (type !== "file") {
    entry.resume();
    to.entry(type === "symlink" ? { name, type, linkname } : { name, type, mode: 0o755 });
    return;
  }
  await pipeline(plain(name, entry), to.entry({ name, size, mode: 0o644 }));
}

/** Passes a file on that is not compressed. @throws SvcError invalid_request */
async function* plain(name: string, parts: AsyncIterable<unknown>): AsyncGenerator<Buffer> {
  let head = Buffer.alloc(0);
  for await (const part of parts) {
    const chunk = part as Buffer;
    if (head.length < HEAD_BYTES) {
      head = Buffer.concat([head, chunk.subarray(0, HEAD_BYTES)]);
      if (COMPRESSED.some((magic) => head.toString("hex").startsWith(magic))) throw refused(name);
    }
    yield chunk;
  }
}
const HEAD_BYTES = 16;

/** Is undefined for a file that holds nothing but names. */
function nameless(path: string, described: unknown): string | undefined {
  if (path === REPOSITORIES) return undefined;
  if (path === MANIFEST) {
    const [image] = manifest.parse(described);
    return JSON.stringify([{ ...image, RepoTags: null }]);
  }
  const { manifests, ...rest } = index.parse(described);
  return JSON.stringify({ ...rest, manifests: manifests.map(({ annotations: _names, ...image }) => image) });
}

function refused(name: string): SvcError {
  return new SvcError(
    "invalid_request",
    `The archive of the image has an entry ${JSON.stringify(name)} that none has.`,
  );
}
