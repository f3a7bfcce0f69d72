import type { Duplex } from "node:stream";
import { SvcError } from "@svc/shared/errors.ts";
import type { DockerContext } from "../context.ts";
import { readFrames } from "../logs/frames.ts";

/** A command that writes nothing for so long hangs: a dump of a table that another transaction has locked, for one. */
const SILENCE_MS_MAX = 5 * 60_000;
/** The part of its complaints that goes into the error. */
const STDERR_BYTES_MAX = 4096;

/** The command's standard output, as it comes; read as slowly as the caller takes it. */
export async function* streamExec(
  ctx: DockerContext,
  id: string,
  argv: readonly string[],
  stdin?: string,
): AsyncGenerator<Buffer> {
  const attached = { AttachStdin: stdin !== undefined, AttachStdout: true, AttachStderr: true };
  const exec = await ctx.docker.getContainer(id).exec({ Cmd: [...argv], ...attached });
  const stream = await exec.start(stdin === undefined ? {} : { hijack: true, stdin: true });
  if (stdin !== undefined) stream.end(stdin);
  const complaints = { text: "" };
  yield* standardOutput(stream, argv, complaints);
  const { ExitCode: exitCode } = await exec.inspect();
  if (exitCode === 0) return;
  throw new SvcError("internal", `${argv[0]} ended with exit code ${exitCode ?? "unknown"}.`, {
    cause: complaints.text,
  });
}

async function* standardOutput(
  stream: Duplex,
  argv: readonly string[],
  complaints: { text: string },
): AsyncGenerator<Buffer> {
  const silence = setTimeout(() => {
    stream.destroy(new SvcError("step_timed_out", `${argv[0]} wrote nothing for ${SILENCE_MS_MAX / 1000} s.`));
  }, SILENCE_MS_MAX);
  try {
    for await (const frames of readFrames(stream)) {
      for (const { source, payload } of frames) {
        if (source === "stdout") yield payload;
        else complaints.text = (complaints.text + payload.toString("utf8")).slice(-STDERR_BYTES_MAX);
      }
      silence.refresh();
    }
  } finally {
    clearTimeout(silence);
    stream.destroy();
  }
}
