import type { Engine } from "../ports.ts";

/** EngineWatch knows whether an engine has ended since, and with it what it ran. */
export interface EngineWatch {
  hasEnded(): boolean;
  stop(): void;
}

/** An engine tells of events until it ends, and its end is known at once, also where its socket waits for the next one. */
export function watchEngine(engine: Pick<Engine, "containerEvents">): EngineWatch {
  const stop = new AbortController();
  let hasEnded = false;
  const untilEnd = async (): Promise<void> => {
    for await (const event of engine.containerEvents({ since: new Date(), signal: stop.signal })) void event;
  };
  void untilEnd()
    .catch(() => undefined)
    .then(() => (hasEnded = !stop.signal.aborted));
  return { hasEnded: () => hasEnded, stop: () => stop.abort() };
}
