import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { withinDiskRoom } from "../platform/disk-room.ts";
import type { StepOutput } from "../ports.ts";
import type { Source } from "./source.ts";
import type { Checkout, StepContext } from "../runner/step.ts";

/** The source's commit, for a step before the one that builds it. @throws SvcError */
export async function fetchAhead(ctx: StepContext, source: Source): Promise<Checkout> {
  // clone_build says what was fetched; until then only the present is told.
  const output: StepOutput = { log: () => undefined, progress: (message) => ctx.output.progress(message) };
  const checkout = await fetchSource({ ...ctx, output }, source);
  ctx.handover.checkout = { ...checkout, repoUrl: source.repoUrl, ref: source.ref };
  return checkout;
}

/** The source's commit: the one that was fetched ahead, so that a branch that moves on meanwhile gives no other. */
export async function checkOut(ctx: StepContext, source: Source): Promise<Checkout> {
  const { repoUrl, ref } = source;
  ctx.output.log(`Fetching ${ref ?? "the default branch"} of ${repoUrl}`);
  const ahead = ctx.handover.checkout;
  const isSame = ahead !== undefined && ahead.repoUrl === repoUrl && ahead.ref === ref;
  const checkout = isSame ? ahead : await fetchSource(ctx, source);
  ctx.output.log(`Checked out ${checkout.commitSha}`);
  ctx.output.checkedOut(checkout.commitSha);
  return checkout;
}

/** Idempotent. */
export async function removeCheckouts(
  ctx: Pick<StepContext, "dataDirectory" | "deployId" | "handover">,
): Promise<void> {
  ctx.handover.checkout = undefined;
  await rm(cloneFolder(ctx), { recursive: true, force: true, maxRetries: 3 });
}

/** The parts of a run that a fetch needs. */
export interface FetchContext extends Pick<StepContext, "dataDirectory" | "deployId" | "git" | "host" | "signal"> {
  output: StepOutput;
}

/** Fetches into a folder of its own, which `removeCheckouts` removes. @throws SvcError */
export async function fetchSource(ctx: FetchContext, source: Source): Promise<Checkout> {
  const { repoUrl, ref, outbound, credentials } = source;
  const { output, signal } = ctx;
  // Not the same for each run: a git that a killed agent left behind may still write into its own.
  const directory = join(cloneFolder(ctx), randomBytes(8).toString("hex"), "source");
  const room = { host: ctx.host, directory: ctx.dataDirectory, what: "the repository", signal };
  const { commitSha } = await withinDiskRoom(room, (untilFull) =>
    ctx.git.checkout({ repoUrl, ref, directory, outbound, credentials, output, signal: untilFull }),
  );
  return { directory, commitSha };
}

/**
 * Named after the deploy, so that a run that died leaves nothing that the next one, or undo, does not find. The
 * checkouts lie inside it, with what git needs beside.
 */
function cloneFolder({ dataDirectory, deployId }: Pick<StepContext, "dataDirectory" | "deployId">): string {
  return join(clonesFolder(dataDirectory), deployId);
}

/** Removes what runs that died have left: sources, and keys to repositories. For the start, when nothing runs. */
export function sweepClones(dataDirectory: string): Promise<void> {
  return rm(clonesFolder(dataDirectory), { recursive: true, force: true, maxRetries: 3 });
}

/** Where checkouts lie, in a folder per deploy. */
function clonesFolder(dataDirectory: string): string {
  return join(dataDirectory, "clones");
}
