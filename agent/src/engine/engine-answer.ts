import { z } from "zod";
import { linesOf } from "../platform/lines.ts";

const message = z.object({ error: z.string().optional() });

/** Reads what the engine tells of its work until that is done. @throws Error in the engine's words */
export async function readToEnd(answer: AsyncIterable<Buffer>): Promise<void> {
  for await (const line of linesOf(answer)) {
    const { error } = message.parse(JSON.parse(line));
    if (error !== undefined) throw new Error(error);
  }
}
