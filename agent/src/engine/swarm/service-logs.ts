import { systemClock } from "@svc/shared/platform/clock.ts";
import type { StampedLine } from "../../ports.ts";
import type { DockerContext } from "../context.ts";
import { readStamped, type LogOptions } from "../logs/logs.ts";
import { isStopped } from "./service-state.ts";
import { readService } from "./services.ts";

/** The most lines in one message (agent.proto). */
const BATCH_LINES_MAX = 500;
/** A reader that follows looks so often for further lines: the cluster ends a stream when a copy moves. */
const FOLLOW_MS = 500;
/** The clocks of the machines differ, and a line of another copy may come so much later. */
const LATE_MS = 2_000;

type From = LogOptions & { since?: string };

/** The lines of all copies by their times: the last ones, then, with `follow`, what is written until the service's end. */
export async function* readServiceLogs(ctx: DockerContext, id: string, options: From): AsyncGenerator<StampedLine[]> {
  const { lines, follow, signal } = options;
  const first = await readLines(ctx, id, options);
  // The engine gives so many lines of each copy.
  yield* inBatches(first.slice(-lines));
  let told = first;
  while (follow && !signal?.aborted) {
    await systemClock.sleep(FOLLOW_MS, signal).catch(() => undefined);
    const own = await readService(ctx, id);
    if (own === undefined || isStopped(own)) return;
    const since = earlier(told.at(-1)?.stamp);
    const known = new Set(told.map(keyOf));
    const found = await readLines(ctx, id, { ...options, lines: BATCH_LINES_MAX, since });
    yield* inBatches(found.filter((line) => !known.has(keyOf(line))));
    if (found.length > 0) told = found;
  }
}

async function readLines(
  ctx: DockerContext,
  id: string,
  { lines, signal, since }: Omit<LogOptions, "follow"> & { since?: string | undefined },
): Promise<StampedLine[]> {
  const found: StampedLine[] = [];
  const options = { lines, follow: false, ...(signal && { signal }), ...(since !== undefined && { since }) };
  for await (const batch of readStamped(ctx, `/services/${id}/logs?`, options)) found.push(...batch);
  return found
    .filter(({ stamp }) => since === undefined || stamp >= since)
    .toSorted((a, b) => (a.stamp < b.stamp ? -1 : 1));
}

function* inBatches(lines: readonly StampedLine[]): Generator<StampedLine[]> {
  for (let first = 0; first < lines.length; first += BATCH_LINES_MAX) yield lines.slice(first, first + BATCH_LINES_MAX);
}

function keyOf({ stamp, output, text }: StampedLine): string {
  return `${stamp} ${output} ${text}`;
}

function earlier(stamp: string | undefined): string | undefined {
  if (stamp === undefined) return undefined;
  const before = new Date(Date.parse(stamp) - LATE_MS).toISOString();
  return before.replace("Z", "000000Z");
}
