import type { Readable } from "node:stream";
import { SvcError } from "@svc/shared/errors.ts";
import type { DockerContext } from "./context.ts";
import { statusOf } from "./errors.ts";

/** A path inside the container, volumes included, as a tar stream; read as slowly as the caller takes it. */
export async function* readArchive(ctx: DockerContext, id: string, path: string): AsyncGenerator<Buffer> {
  const stream = (await ctx.docker
    .getContainer(id)
    .getArchive({ path })
    .catch((error: unknown) => {
      if (statusOf(error) !== 404) throw error;
      throw new SvcError("not_found", `The container has no ${path}.`, { cause: error });
    })) as Readable;
  try {
    for await (const chunk of stream) yield chunk as Buffer;
  } finally {
    stream.destroy();
  }
}
