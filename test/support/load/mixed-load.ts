import { fork } from "node:child_process";
import { once } from "node:events";
import { preferServing } from "@svc/agent/edge/prefer-serving.ts";
import type { LoadTarget } from "./connections.ts";
import type { PhaseResult } from "./tally.ts";

export interface MixedLoadSpec {
  target: LoadTarget;
  /** Quick requests a second, whatever the answers do. */
  perSecond: number;
  /** The pause between two requests of 5 s. Milliseconds. */
  slowEveryMs: number;
  /** The target whose event streams and WebSocket are held all the time. */
  steady: LoadTarget;
}

export interface MixedLoadResult {
  phases: Record<string, PhaseResult>;
  steady: { events: number; echoes: number; broken: string[] };
  /** How late the load's own process was, 99th percentile, in milliseconds: above a few it measured itself. */
  ownDelayP99: number;
}

/** A message to the load's process. */
export type LoadOrder = { phase: string } | { sent: true } | { end: true };

export interface MixedLoad {
  /** Requests sent from now on count for this phase, also when it is resumed. */
  phase(name: string): void;
  /** How many the current phase has sent. */
  sent(): Promise<number>;
  /** Ends the load and waits for open requests. */
  stop(): Promise<MixedLoadResult>;
}

/**
 * HTTP/1.1 and HTTP/2, kept-alive and fresh connections, GET and POST, requests of 5 s, and streams of another app: in a
 * process of its own, so that whoever measures does not slow it down. Nothing counts before the first phase.
 */
export async function startMixedLoad(spec: MixedLoadSpec): Promise<MixedLoad> {
  const main = new URL("mixed-load-main.ts", import.meta.url);
  const child = fork(main, [JSON.stringify(spec)], { detached: true });
  // Clients are on machines of their own: a build here takes nothing from them.
  if (child.pid !== undefined) preferServing(child.pid);
  await once(child, "message");
  async function ask(order: LoadOrder): Promise<unknown> {
    const answered = once(child, "message");
    child.send(order);
    return (await answered)[0];
  }
  return {
    phase: (phase) => void child.send({ phase } satisfies LoadOrder),
    sent: async () => Number(await ask({ sent: true })),
    async stop() {
      const result = (await ask({ end: true })) as MixedLoadResult;
      child.disconnect();
      return result;
    },
  };
}
