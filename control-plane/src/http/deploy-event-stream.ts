import { isTerminal, STEP_NAMES } from "../domain/deploy.ts";
import type { Db } from "../db/database.ts";
import { readDeployEvents, type DeployEventRow } from "../db/deploy-events.ts";
import { readDeployStatus } from "../db/deploys.ts";
import type { Notifications } from "../ports.ts";

export interface EventStreamParts {
  db: Db;
  notifications: Notifications;
  /** Aborted when the process stops: a stream would otherwise keep it from ending. */
  closing: AbortSignal;
  timing?: EventStreamTiming;
}

export interface EventStreamTiming {
  /** The slow look for events whose notification was lost. */
  pollMs: number;
  /** Proxies close connections that are silent for half a minute or longer. */
  heartbeatMs: number;
}

export const eventStreamTiming: EventStreamTiming = { pollMs: 5_000, heartbeatMs: 15_000 };

/** Rows of at most some 64 KiB each, so that a slow reader costs a few megabytes at most. */
const BATCH_ROWS = 32;
/** For how long a browser waits before it reconnects. */
const RETRY_MS = 1_000;

/** Whether the deploy has ended and nothing of it comes after that number. */
export async function isExhausted(db: Db, deployId: string, after: string): Promise<boolean> {
  const status = await readDeployStatus(db, deployId);
  if (status !== undefined && !isTerminal(status)) return false;
  return (await readDeployEvents(db, deployId, after, 1)).length === 0;
}

/**
 * The deploy's events after a number, as server-sent events, until the one that ends it. Nothing is read ahead of the
 * client: the next batch is fetched when it has taken the one before.
 */
export function deployEventStream(
  parts: EventStreamParts,
  deployId: string,
  after: string,
): ReadableStream<Uint8Array> {
  const { db, notifications, closing, timing = eventStreamTiming } = parts;
  const encoder = new TextEncoder();
  const wake = new Wake();
  let last = after;
  let silentSince = Date.now();
  let unsubscribe: () => void = () => undefined;
  const onClosing = (): void => wake.ring();

  function end(): void {
    unsubscribe();
    closing.removeEventListener("abort", onClosing);
    wake.close();
  }

  return new ReadableStream<Uint8Array>({
    start(controller) {
      unsubscribe = notifications.subscribe("deploy_events", (id) => {
        if (id === undefined || id === deployId) wake.ring();
      });
      closing.addEventListener("abort", onClosing);
      controller.enqueue(encoder.encode(`retry: ${RETRY_MS}\n\n`));
    },
    async pull(controller) {
      try {
        while (!closing.aborted && !wake.closed) {
          wake.rearm();
          const rows = await readDeployEvents(db, deployId, last, BATCH_ROWS);
          const [newest] = rows.slice(-1);
          if (newest) {
            last = newest.number;
            silentSince = Date.now();
            return controller.enqueue(encoder.encode(rows.map(eventText).join("")));
          }
          if (await isExhausted(db, deployId, last)) break;
          await wake.within(timing.pollMs);
          if (Date.now() - silentSince >= timing.heartbeatMs) {
            silentSince = Date.now();
            return controller.enqueue(encoder.encode(": still here\n\n"));
          }
        }
        const canceled = wake.closed;
        end();
        if (!canceled) controller.close();
      } catch (error) {
        end();
        throw error;
      }
    },
    cancel: end,
  });
}

function eventText({ number, kind, step_order, payload, created_at }: DeployEventRow): string {
  const step = step_order === null ? {} : { step_name: STEP_NAMES[step_order - 1], step_order };
  const data = JSON.stringify({ time: created_at.toISOString(), ...step, ...payload });
  return `id: ${number}\nevent: ${kind}\ndata: ${data}\n\n`;
}

/** A bell that is not missed when it rings between two looks. */
class Wake {
  closed = false;
  #rung = false;
  #resolve: () => void = () => undefined;

  ring(): void {
    this.#rung = true;
    this.#resolve();
  }

  close(): void {
    this.closed = true;
    this.ring();
  }

  /** From now on a ring counts. */
  rearm(): void {
    this.#rung = this.closed;
  }

  /** Resolves at the next ring, at once when it has rung since `rearm`, or after `ms`. */
  within(ms: number): Promise<void> {
    if (this.#rung) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#resolve = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
