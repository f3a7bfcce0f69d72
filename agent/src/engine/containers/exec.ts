import type { Duplex } from "node:stream";
import { SvcError } from "@svc/shared/errors.ts";
import type { DockerContext } from "../context.ts";
import { engineMessage, statusOf, unless } from "../errors.ts";
import { readFrames } from "../logs/frames.ts";

/** The limit of the port; what follows is read and thrown away, so that the command can end. */
const OUTPUT_BYTES_MAX = 64 * 1024;

/** Statements to a database that answers take milliseconds; beyond this the command hangs. */
const EXEC_SECONDS_MAX = 60;

export async function execInContainer(
  ctx: Pick<DockerContext, "docker">,
  id: string,
  argv: readonly string[],
  stdin: string,
): Promise<{ exitCode: number; output: string }> {
  try {
    const exec = await ctx.docker.getContainer(id).exec({
      Cmd: [...argv],
      AttachStdin: true,
      AttachStdout: true,
      AttachStderr: true,
    });
    const output = await converse(await exec.start({ hijack: true, stdin: true }), argv, stdin);
    const { ExitCode: exitCode } = await exec.inspect();
    return { exitCode: exitCode ?? -1, output };
  } catch (error) {
    if (!(await isOfStopped(ctx, id, error))) throw error;
    throw new SvcError("not_found", `The container does not run, so ${argv[0]} cannot run in it.`, {
      cause: engineMessage(error),
    });
  }
}

/** Whether it failed because the container does not run: 409, or in the moment in which it ends also 404 or 500. */
async function isOfStopped(ctx: Pick<DockerContext, "docker">, id: string, error: unknown): Promise<boolean> {
  const status = statusOf(error);
  if (status === undefined || status === 409) return status === 409;
  const container = await unless([404], ctx.docker.getContainer(id).inspect());
  return container?.State.Running !== true;
}

/** Writes stdin, closes it, and reads to the end. */
async function converse(stream: Duplex, argv: readonly string[], stdin: string): Promise<string> {
  const deadline = setTimeout(() => {
    stream.destroy(new SvcError("step_timed_out", `${argv[0]} did not end within ${EXEC_SECONDS_MAX} s.`));
  }, EXEC_SECONDS_MAX * 1000);
  const kept: Buffer[] = [];
  let keptBytes = 0;
  try {
    stream.end(stdin);
    for await (const frames of readFrames(stream)) {
      for (const { payload } of frames) {
        const piece = payload.subarray(0, OUTPUT_BYTES_MAX - keptBytes);
        if (piece.length === 0) continue;
        kept.push(piece);
        keptBytes += piece.length;
      }
    }
  } finally {
    clearTimeout(deadline);
    stream.destroy();
  }
  return Buffer.concat(kept).toString("utf8");
}
