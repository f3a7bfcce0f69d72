import { z } from "zod";
import { linesOf } from "../platform/lines.ts";

const message = z.object({ error: z.string().optional(), stream: z.string().optional() });
/** An image that is loaded is told in one. */
const TOLD_MAX = 100;

/** Reads what the engine tells of its work until that is done. @returns its first lines @throws Error in the engine's words */
export async function readToEnd(answer: AsyncIterable<Buffer>): Promise<string[]> {
  const told: string[] = [];
  for await (const line of linesOf(answer)) {
    const { error, stream } = message.parse(JSON.parse(line));
    if (error !== undefined) throw new Error(error);
    if (stream !== undefined && told.length < TOLD_MAX) told.push(stream);
  }
  return told;
}
