import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type Docker from "dockerode";
import { pack, type Pack } from "tar-stream";
import { LABEL_FETCHED, LABEL_SERVER } from "@svc/shared/rules/labels.ts";
import { readToEnd } from "../../engine/engine-answer.ts";
import { unless } from "../../engine/errors.ts";
import type { Addition } from "./addition.ts";
import { EVERYTHING } from "../../platform/selection.ts";
import { writeFolder, writeWhole } from "../context/tar-folder.ts";

/** An image of the files that a build has fetched, for COPY to name. In the context, COPY . . would take them. */
export interface AdditionsImage {
  name: string;
  pathOf(addition: Addition): string;
  remove(): Promise<void>;
}

/** @throws Error in the engine's words; the signal's reason */
export async function makeAdditionsImage(
  { docker, serverId, signal }: { docker: Docker; serverId: string; signal: AbortSignal },
  repository: string,
  additions: readonly Addition[],
): Promise<AdditionsImage> {
  // The same additions have the same name, so that the text that names it is the same for the cache.
  const tag = createHash("sha256").update(JSON.stringify(additions.map(({ digest, name }) => [digest, name])));
  const name = `${repository}:${tag.digest("hex").slice(0, 16)}`;
  const [repo, version] = name.split(":") as [string, string];
  const changes = `LABEL ${LABEL_SERVER}=${serverId} ${LABEL_FETCHED}=1`;
  await importAll(docker, additions, { repo, tag: version, changes, abortSignal: signal });
  return {
    name,
    pathOf: (addition) => `/${additions.indexOf(addition)}/${addition.name}`,
    remove: async () => void (await unless([404], docker.getImage(name).remove())),
  };
}

type ImportOptions = { repo: string; tag: string; changes: string; abortSignal: AbortSignal };

async function importAll(docker: Docker, additions: readonly Addition[], options: ImportOptions): Promise<void> {
  const tar = pack();
  const written = writeAll(tar, additions, options.abortSignal);
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

async function writeAll(tar: Pack, additions: readonly Addition[], signal: AbortSignal): Promise<void> {
  for (const [index, { kind, name, path, bytes, modifiedAt: mtime }] of additions.entries()) {
    const header = { name: `${index}/${name}`, mtime };
    if (kind === "file") {
      await pipeline(createReadStream(path), tar.entry({ ...header, size: bytes, mode: 0o600 }));
    } else {
      // Its mode becomes that of the ADD's target.
      await writeWhole(tar, { ...header, type: "directory", mode: 0o755 });
      await writeFolder({ tar, directory: path, prefix: `${header.name}/`, signal }, "", EVERYTHING);
    }
  }
  tar.finalize();
}
