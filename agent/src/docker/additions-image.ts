import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type Docker from "dockerode";
import { pack, type Pack } from "tar-stream";
import { z } from "zod";
import { LABEL_FETCHED, LABEL_SERVER } from "../domain/labels.ts";
import { unless } from "./errors.ts";
import { readFetched, type FetchedFile } from "./fetch-additions.ts";
import { linesOf } from "./lines.ts";

/** What a build has fetched, as an image that its COPY instructions name. It is not in the context: COPY . . would take it. */
export interface AdditionsImage {
  name: string;
  pathOf(file: FetchedFile): string;
  remove(): Promise<void>;
}

const message = z.object({ error: z.string().optional() });

export async function makeAdditionsImage(
  { docker, serverId }: { docker: Docker; serverId: string },
  repository: string,
  files: readonly FetchedFile[],
): Promise<AdditionsImage> {
  // The same files have the same name, so that the text that names it is the same for the cache.
  const tag = createHash("sha256").update(files.map(({ sha256, name }) => `${sha256} ${name}`).join("\n"));
  const name = `${repository}:${tag.digest("hex").slice(0, 16)}`;
  const [repo, version] = name.split(":");
  const changes = `LABEL ${LABEL_SERVER}=${serverId} ${LABEL_FETCHED}=1`;
  const tar = pack();
  const written = writeAll(tar, files);
  written.catch((error: Error) => tar.destroy(error));
  const answer = (await docker.importImage(Readable.from(tar, { objectMode: false }), {
    repo,
    tag: version,
    changes,
  })) as unknown as AsyncIterable<Buffer>;
  for await (const line of linesOf(answer)) {
    const { error } = message.parse(JSON.parse(line));
    if (error !== undefined) throw new Error(error);
  }
  await written;
  return {
    name,
    pathOf: (file) => `/${files.indexOf(file)}/${file.name}`,
    remove: async () => void (await unless([404], docker.getImage(name).remove())),
  };
}

async function writeAll(tar: Pack, files: readonly FetchedFile[]): Promise<void> {
  for (const [index, file] of files.entries()) {
    const header = { name: `${index}/${file.name}`, size: file.bytes, mode: 0o600, mtime: file.modifiedAt };
    await pipeline(readFetched(file), tar.entry(header));
  }
  tar.finalize();
}

/** Removes what a killed agent has left of such images. */
export async function removeAdditionsImages(docker: Docker, serverId: string): Promise<void> {
  const filters = { label: [`${LABEL_SERVER}=${serverId}`, `${LABEL_FETCHED}=1`] };
  for (const { Id: id } of await docker.listImages({ filters })) {
    await unless([404, 409], docker.getImage(id).remove({ force: true }));
  }
}
