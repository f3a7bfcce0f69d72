import type { Clock } from "@svc/shared/platform/clock.ts";
import { backoffMs } from "../platform/backoff.ts";
import { EXIT_KILLED } from "../engine/containers/app-failure.ts";
import type { Failure, Probation } from "./probation.ts";
import type { ContainerEvent, ContainerState, Engine, Proxy } from "../ports.ts";
import type { Ask } from "./ask.ts";

/** Tells for how long requests may go without an answer. */
export interface Patience {
  /** Refused or broken off: an app that starts a worker anew is back by then. */
  brokenMs: number;
  /** Accepted, and nothing comes: the app has answered the proof of its switch, and pages that take longer are rare. */
  silentMs: number;
}

export const PATIENCE: Patience = { brokenMs: 5_000, silentMs: 20_000 };

/** The pause between two requests. An app logs each: a dozen of them in all. */
const ASK_MS = 2_500;
/** The same while they are broken. */
const ASK_AGAIN_MS = 500;
/** The engine learns a moment after a container's end that memory was why, and a watch of the platform's that it ended it. */
const CAUSE_MS_MAX = 2_000;
/** The engine writes down a start, and tells of it, within milliseconds. */
const SAME_START_MS = 1_000;

export interface WatchOptions {
  engine: Pick<Engine, "list" | "containerEvents">;
  proxy: Pick<Proxy, "routes">;
  clock: Clock;
  ask: Ask;
  patience: Patience;
}

/**
 * Looks at the container until its probation is over. What ends it from outside is not its fault: an engine that dies ends
 * the watch.
 * @returns how it failed; undefined when it did not, when that can't be told, and when the signal has aborted
 */
export async function watchContainer(
  options: WatchOptions,
  probation: Probation,
  signal: AbortSignal,
): Promise<Failure | undefined> {
  const over = new AbortController();
  const ends = AbortSignal.any([signal, over.signal]);
  try {
    return await Promise.race([
      untilTime(options.clock, probation, ends),
      findEnd(options, probation, ends),
      findSilence(options, probation, ends),
    ]);
  } finally {
    over.abort();
  }
}

/** A while longer than the probation: what happened in its last moment may be told after it. */
async function untilTime(clock: Clock, { until }: Probation, signal: AbortSignal): Promise<undefined> {
  const leftMs = Math.max(0, Date.parse(until) - clock.now().getTime());
  await clock.sleep(leftMs + CAUSE_MS_MAX, signal).catch(() => undefined);
}

/** Watches by the engine's events: they have the exit code also of a container that was started again at once. */
async function findEnd(options: WatchOptions, probation: Probation, signal: AbortSignal): Promise<Failure | undefined> {
  const { engine, clock } = options;
  for (let failures = 1; !signal.aborted; failures += 1) {
    try {
      const end = await nextEnd(options, probation, signal);
      if (end === "unknown") return undefined;
      if (end !== undefined) return await withCause(engine, probation, end, signal);
    } catch {
      // The engine is away: its containers may go with it, which is told from their own ends when it is back.
    }
    await clock.sleep(backoffMs(failures), signal).catch(() => undefined);
  }
  return undefined;
}

/**
 * The container's first end. One that was sent a signal was ended by somebody: by hand, or by an engine that ends properly.
 * And only an engine that knows of the start before it can blame the container: one that was started meanwhile tells of
 * containers that it has lost.
 */
async function nextEnd(
  { engine }: WatchOptions,
  probation: Probation,
  signal: AbortSignal,
): Promise<ContainerEvent | "unknown" | undefined> {
  const started = Date.parse(probation.startedAt);
  let isBlamable = isFirstLife(await findContainer(engine, probation), probation);
  for await (const event of engine.containerEvents({ since: new Date(started - SAME_START_MS), signal })) {
    if (event.containerId !== probation.containerId) continue;
    if (event.kind === "started") isBlamable ||= Math.abs(event.time.getTime() - started) < SAME_START_MS;
    if (event.kind === "signalled") return "unknown";
    if (event.kind !== "ended") continue;
    return isBlamable && event.time <= new Date(probation.until) ? event : "unknown";
  }
  return undefined;
}

async function withCause(
  engine: WatchOptions["engine"],
  { containerId, startedAt }: Probation,
  { exitCode, time: at }: ContainerEvent,
  signal: AbortSignal,
): Promise<Failure> {
  if (exitCode !== EXIT_KILLED) return { reason: "exited", exitCode, at };
  const patience = AbortSignal.any([signal, AbortSignal.timeout(CAUSE_MS_MAX)]);
  for await (const event of engine.containerEvents({ since: new Date(startedAt), signal: patience })) {
    if (event.containerId === containerId && event.kind === "out_of_memory") {
      return { reason: "out_of_memory", exitCode, at };
    }
  }
  return { reason: "exited", exitCode, at };
}

/**
 * Watches by requests: an app may run, and accept connections, and still answer nobody. Resolves only when it does not.
 */
async function findSilence(options: WatchOptions, probation: Probation, signal: AbortSignal): Promise<Failure> {
  const { engine, clock, ask, patience } = options;
  let brokenSince: number | undefined;
  while (!signal.aborted && clock.now() < new Date(probation.until)) {
    const askedAt = clock.now().getTime();
    const upstream = await upstreamOf(options, probation).catch(() => undefined);
    const answer = upstream && (await ask(upstream, AbortSignal.any([signal, AbortSignal.timeout(patience.silentMs)])));
    const isAlive = isFirstLife(await findContainer(engine, probation).catch(() => undefined), probation);
    brokenSince = isAlive && answer === "broken" ? (brokenSince ?? askedAt) : undefined;
    const at = clock.now();
    const isBroken = brokenSince !== undefined && at.getTime() - brokenSince >= patience.brokenMs;
    if (!signal.aborted && isAlive && (isBroken || answer === "silent")) {
      return { reason: "not_answering", exitCode: undefined, at };
    }
    await clock.sleep(answer === "broken" ? ASK_AGAIN_MS : ASK_MS, signal).catch(() => undefined);
  }
  return new Promise(() => undefined);
}

/** Is undefined where no host leads to the container, or it does not run. */
async function upstreamOf({ engine, proxy }: WatchOptions, probation: Probation) {
  const container = await findContainer(engine, probation);
  const route = (await proxy.routes()).find(({ containerId }) => containerId === probation.containerId);
  if (!route || !isFirstLife(container, probation)) return undefined;
  return { address: container!.address, port: container!.port, host: route.host };
}

async function findContainer(
  engine: WatchOptions["engine"],
  { app, containerId }: Probation,
): Promise<ContainerState | undefined> {
  return (await engine.list({ appId: app.id, role: "app" })).find(({ id }) => id === containerId);
}

/** It has run since the deploy started it. */
function isFirstLife(container: ContainerState | undefined, { startedAt }: Probation): boolean {
  return container?.state === "running" && container.startedAt?.getTime() === Date.parse(startedAt);
}
