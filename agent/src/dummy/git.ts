import { createHash } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SvcError, type ErrorCode } from "@svc/shared/errors.ts";
import type { Git } from "../ports.ts";

/** How the twin behaves. */
export interface DummyGitKnobs {
  /** The files of a checkout: path → content. */
  files: Record<string, string>;
  /** Every checkout fails with this code. */
  failure: ErrorCode | undefined;
  /** A checkout does not end before its signal aborts. */
  hangs: boolean;
}

export interface DummyGit extends Git {
  knobs: DummyGitKnobs;
}

/** The Git port without git: the same files for every repository, and a commit that follows from URL and ref. */
export function createDummyGit(): DummyGit {
  const knobs: DummyGitKnobs = { files: { "index.html": "<p>dummy</p>\n" }, failure: undefined, hangs: false };
  return {
    knobs,
    async checkout({ repoUrl, ref, directory, output, signal }) {
      output.progress(`fetching ${ref ?? "the default branch"}`);
      signal.throwIfAborted();
      if (knobs.failure) throw new SvcError(knobs.failure, `The dummy repository answers ${knobs.failure}.`);
      if (knobs.hangs) await aborted(signal);
      await rm(directory, { recursive: true, force: true });
      for (const [path, content] of Object.entries(knobs.files)) {
        await mkdir(dirname(join(directory, path)), { recursive: true });
        await writeFile(join(directory, path), content);
      }
      return {
        commitSha: createHash("sha1")
          .update(`${repoUrl} ${ref ?? ""}`)
          .digest("hex"),
      };
    },
  };
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
}
