import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type Docker from "dockerode";
import { pack, type Pack } from "tar-stream";
import { LABEL_FETCHED, LABEL_SERVER } from "../domain/labels.ts";
import { readToEnd } from "./engine-answer.ts";
import { unless } from "./errors.ts";
import { readFetched, type FetchedFile } from "./fetch-additions.ts";

/** An image of the files that a build has fetched, for COPY to name. In the context, COPY . . would take them. */
export interface AdditionsImage {
  name: string;
  pathOf(file: FetchedFile): string;
  remove(): Promise<void>;
}

/** @throws Error in the engine's words; the signal's reason */
export async function makeAdditionsImage(
  { docker, serverId, signal }: { docker: Docker; serverId: string; signal: AbortSignal },
  repository: string,
  files: readonly FetchedFile[],
): Promise<AdditionsImage> {
  // The same files have the same name, so that the text that names it is the same for the cache.
  const tag = createHash("sha256").update(files.map(({ sha256, name }) => `${sha256} ${name}`).join("\n"));
  const name = `${repository}:${tag.digest("hex").slice(0, 16)}`;
  const [repo, version] = name.split(":");
  const changes = `LABEL ${LABEL_SERVER}=${serverId} ${LABEL_FETCHED}=1`;
  await importFiles(docker, files, { repo, tag: version, changes, abortSignal: signal });
  return {
    name,
    pathOf: (file) => `/${files.indexOf(file)}/${file.name}`,
    remove: async () => void (await unless([404], docker.getImage(name).remove())),
  };
}

async function importFiles(docker: Docker, files: readonly FetchedFile[], options: object): Promise<void> {
  const tar = pack();
  const written = writeAll(tar, files);
  written.catch((error: Error) => tar.destroy(error));
  try {
    const answer: unknown = await docker.importImage(Readable.from(tar, { objectMode: false }), options);
    await readToEnd(answer as AsyncIterable<Buffer>);
    await written;
  } finally {
    // The file that is being read is closed with it.
    tar.destroy();
  }
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
