import type { Clock } from "@svc/shared/platform/clock.ts";
import { repeat } from "@svc/shared/platform/repeat.ts";
import { startEmbeddedPostgres, type EmbeddedOptions } from "./embedded.ts";

export interface SupervisedPostgres {
  /** Stays the same when the server is started again. */
  url: string;
  /** Ends the supervision and the server. */
  stop(): Promise<void>;
}

/** A look costs two small reads. */
const LOOK_MS = 1_000;

/** Starts or adopts the server, and starts it again whenever it dies: nobody else looks after it. */
export async function startSupervisedPostgres(
  options: EmbeddedOptions & { clock: Clock },
): Promise<SupervisedPostgres> {
  const { clock, log } = options;
  const stopping = new AbortController();
  let server = await startEmbeddedPostgres(options);

  async function look(): Promise<void> {
    if (await server.isRunning()) return;
    log.error("the embedded PostgreSQL has died; starting it again");
    const again = await startEmbeddedPostgres({ ...options, port: server.port });
    if (again.port !== server.port) log.error("its port was taken meanwhile: restart the control plane");
    server = again;
  }

  const failing = "the embedded PostgreSQL does not start; trying again";
  const every = { everyMs: LOOK_MS, retryMsMax: LOOK_MS };
  const supervising = repeat({ ...every, failing, work: look, clock, log }, stopping.signal);
  return {
    url: server.url,
    async stop() {
      stopping.abort();
      await supervising;
      await server.stop();
    },
  };
}
