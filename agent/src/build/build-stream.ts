import { fromBinary } from "@bufbuild/protobuf";
import { StatusResponseSchema, type StatusResponse } from "@svc/shared/gen/buildkit_status_pb.ts";
import { z } from "zod";
import { linesOf } from "../platform/lines.ts";

const message = z.object({
  id: z.string().optional(),
  aux: z.unknown().optional(),
  stream: z.string().optional(),
  error: z.string().optional(),
});

const imageId = z.object({ ID: z.string().regex(/^sha256:[0-9a-f]{64}$/) });

export interface BuildOutcome {
  imageDigest: string | undefined;
  /** The engine's words for why the build failed. */
  error: string | undefined;
}

/**
 * Reads the answer of the engine's build call, JSON messages in lines: BuildKit's progress is in base64 in those named
 * `moby.buildkit.trace`, the result in `moby.image.id`, a failure in `error`.
 */
export async function readBuildStream(
  stream: AsyncIterable<Buffer>,
  onStatus: (status: StatusResponse) => void,
): Promise<BuildOutcome> {
  const outcome: BuildOutcome = { imageDigest: undefined, error: undefined };
  for await (const line of linesOf(stream)) {
    const { id, aux, error } = message.parse(JSON.parse(line));
    if (error !== undefined) outcome.error = error;
    if (id === "moby.image.id") outcome.imageDigest = imageId.parse(aux).ID;
    if (id === "moby.buildkit.trace" && typeof aux === "string") {
      onStatus(fromBinary(StatusResponseSchema, Buffer.from(aux, "base64")));
    }
  }
  return outcome;
}
