import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import type { Clock } from "@svc/shared/platform/clock.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { repeat } from "@svc/shared/platform/repeat.ts";
import { windowOf } from "@svc/shared/rules/metrics/metrics-window.ts";
import type { Link } from "../fleet/links/link.ts";
import type { Db } from "../platform/database/database.ts";
import type { AgentClient } from "../ports.ts";
import { insertSamples, newestWindow } from "./metrics.store.ts";
import { samplesOf } from "./told-samples.ts";

/** Milliseconds. */
const RETRY_MS = 3_000;

/** An agent that does not know the call is asked again after this time, though a newer one makes a link of its own. */
const OLD_AGENT_MS = 10 * 60_000;

export type MetricsLink = Pick<Link, "serverId" | "retired"> & { client: Pick<AgentClient, "watchMetrics"> };

export interface MetricsWatchParts {
  db: Db;
  clock: Clock;
  log: Logger;
}

/** Stores what a linked agent tells of its apps, from where the last link left off, until the link is retired. Never rejects. */
export async function watchMetrics(parts: MetricsWatchParts, link: MetricsLink): Promise<void> {
  const log = parts.log.child({ serverId: link.serverId });
  const work = async (): Promise<number> => {
    const attempt = new AbortController();
    const signal = AbortSignal.any([link.retired, attempt.signal]);
    try {
      await storeWindows({ ...parts, log }, link, signal);
      return RETRY_MS;
    } catch (error) {
      if (link.retired.aborted) return RETRY_MS;
      if (ConnectError.from(error).code !== Code.Unimplemented) throw error;
      log.info("the agent tells no metrics of apps: it is of an older version");
      return OLD_AGENT_MS;
    } finally {
      // Without the abort a stream that we stopped reading would stay open.
      attempt.abort();
    }
  };
  const failing = "lost the metrics of apps; asking again";
  await repeat({ everyMs: RETRY_MS, retryMsMax: RETRY_MS, failing, work, clock: parts.clock, log }, link.retired);
}

async function storeWindows({ db, clock, log }: MetricsWatchParts, link: MetricsLink, signal: AbortSignal) {
  const { serverId } = link;
  const now = (): number => clock.now().getTime() / 1000;
  const newest = await newestWindow(db, serverId);
  // Where the agent's clock was ahead, what it tells of these seconds now would be left out.
  const after = newest === undefined ? undefined : timestampFromMs(Math.min(newest, windowOf(now())) * 1000);
  let isWarned = false;
  for await (const { windows } of link.client.watchMetrics({ ...(after && { after }) }, { signal })) {
    const { samples, untimely } = samplesOf(windows, now());
    if (untimely > 0 && !isWarned) {
      isWarned = true;
      log.warn(
        { untimely },
        "metrics are left out that are over an hour old or of the future: is the server's clock wrong?",
      );
    }
    if (samples.length > 0) await insertSamples(db, serverId, samples);
  }
}
