import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { pack } from "tar-stream";
import { parseDockerIgnore } from "./docker-ignore.ts";
import { NOTHING, type Selection } from "../../platform/selection.ts";
import { readInside } from "@svc/shared/frameworks/repository/checkout-files.ts";
import { writeFolder, writeWhole, type TarSource } from "./tar-folder.ts";

/** Where the Dockerfile that is built lies in the context: a name that no repository has, the same for every build. */
export const WRITTEN_DOCKERFILE = ".svc.Dockerfile";

/** Folders at a repository's root that are left out, whatever is in them. */
const NEVER_SENT = [".git", WRITTEN_DOCKERFILE];

export interface BuildContext {
  /** Ends with an error when a file cannot be read. */
  stream: Readable;
  /** Path of the Dockerfile inside it. */
  dockerfile: string;
}

/**
 * The checkout as a tar stream, read as fast as the engine takes it. Honours `.dockerignore` (or the one named after
 * the Dockerfile), leaves out `.git`, keeps symbolic links as links. The Dockerfile that is built is only in the
 * stream. Ends with the signal's reason when it aborts, and with build_failed when the rules take too long.
 * @throws SvcError build_failed when the `.dockerignore` is beyond what is read
 */
export function packContext(
  directory: string,
  dockerfile: { text: string; path?: string | undefined },
  signal: AbortSignal,
): BuildContext {
  const rules =
    readInside(directory, `${dockerfile.path ?? WRITTEN_DOCKERFILE}.dockerignore`) ??
    readInside(directory, ".dockerignore") ??
    "";
  const selection = withoutNeverSent(parseDockerIgnore(rules, () => setImmediate()));
  const tar = pack();
  void writeAll({ tar, directory, prefix: "", signal }, dockerfile.text, selection).then(
    () => tar.finalize(),
    (error: Error) => tar.destroy(error),
  );
  return { stream: Readable.from(tar, { objectMode: false }), dockerfile: WRITTEN_DOCKERFILE };
}

function withoutNeverSent(root: Selection): Selection {
  return { ...root, below: (name) => (NEVER_SENT.includes(name) ? NOTHING.below(name) : root.below(name)) };
}

async function writeAll(source: TarSource, text: string, selection: Selection): Promise<void> {
  const header = { name: WRITTEN_DOCKERFILE, mode: 0o644, mtime: new Date(0) };
  await writeWhole(source.tar, header, Buffer.from(text));
  await writeFolder(source, "", selection);
}
