import type { Clock } from "@svc/shared/platform/clock.ts";
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

  async function supervise(): Promise<void> {
    while (!stopping.signal.aborted) {
      await clock.sleep(LOOK_MS, stopping.signal).catch(() => undefined);
      if (stopping.signal.aborted || (await server.isRunning())) continue;
      log.error("the embedded PostgreSQL has died; starting it again");
      try {
        const again = await startEmbeddedPostgres({ ...options, port: server.port });
        if (again.port !== server.port) log.error("its port was taken meanwhile: restart the control plane");
        server = again;
      } catch (error) {
        log.error({ err: error }, "the embedded PostgreSQL does not start; trying again");
      }
    }
  }

  const supervising = supervise();
  return {
    url: server.url,
    async stop() {
      stopping.abort();
      await supervising;
      await server.stop();
    },
  };
}
