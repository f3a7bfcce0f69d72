import type { Engine } from "../../ports.ts";

/** A stack trace fits. */
const LINES_MAX = 20;

/** Reads the last lines that the container wrote, oldest first. */
export async function lastLogLines(engine: Pick<Engine, "logs">, containerId: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const batch of engine.logs(containerId, { lines: LINES_MAX, follow: false })) {
    lines.push(...batch.map(({ text }) => text));
  }
  return lines.slice(-LINES_MAX);
}
