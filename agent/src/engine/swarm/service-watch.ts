import { repeat } from "@svc/shared/platform/repeat.ts";
import { Changes } from "../../platform/changes.ts";
import type { ContainerEvent } from "../../ports.ts";
import { hasEnded, isLive } from "./service-state.ts";
import { listServices, type OwnService, type SwarmTask } from "./services.ts";
import type { DockerContext } from "../context.ts";

/** The cluster tells of no task by itself. */
const LOOK_MS = 250;
/** Events that a later reader may still ask for. */
const EVENTS_MAX = 1_000;
/** A reader that nothing happens for looks so often whether the watch goes on. */
const WAIT_MS = 60_000;

interface SeenTask {
  own: OwnService;
  task: SwarmTask;
  isSignalled: boolean;
  hasEnded: boolean;
}

/** Makes events of what the manager tells of the tasks of this server's services. It looks while somebody reads. */
export class ServiceWatch {
  readonly #ctx: DockerContext;
  readonly #changes = new Changes();
  readonly #tasks = new Map<string, SeenTask>();
  /** Service → how many of its tasks have ended by themselves since it was started, and those that are still told of. */
  readonly #ends = new Map<string, { count: number; told: ReadonlySet<string> }>();
  #events: { number: number; event: ContainerEvent }[] = [];
  #count = 0;
  #readers = 0;
  #watching: { stop: AbortController; done: Promise<void> } | undefined;
  #hasLooked = false;

  constructor(ctx: DockerContext) {
    this.#ctx = ctx;
  }

  /** How often a copy has ended by itself since the service was started; the cluster forgets all but the last few. */
  endsOf({ id, tasks }: OwnService): number {
    const before = this.#ends.get(id) ?? { count: 0, told: new Set() };
    const told = new Set(tasks.filter(hasEnded).map(({ ID }) => ID));
    const count = before.count + [...told].filter((task) => !before.told.has(task)).length;
    this.#ends.set(id, { count, told });
    return count;
  }

  /** The service is started: what was before counts no longer. */
  started(id: string): void {
    const told = this.#ends.get(id)?.told;
    if (told) this.#ends.set(id, { count: 0, told });
  }

  /** Yields events from `since` on, as far as they are remembered, until the signal aborts. */
  async *read({ since, signal }: { since: Date; signal: AbortSignal }): AsyncGenerator<ContainerEvent> {
    this.#readers += 1;
    this.#watching ??= this.#watch();
    let last = 0;
    try {
      while (!signal.aborted) {
        const next = this.#events.filter(({ number, event }) => number > last && event.time >= since);
        for (const { number, event } of next) {
          last = number;
          yield event;
        }
        if (next.length === 0) await this.#changes.next(WAIT_MS, signal);
      }
    } finally {
      this.#readers -= 1;
      if (this.#readers === 0) this.#watching?.stop.abort();
      if (this.#readers === 0) this.#watching = undefined;
    }
  }

  #watch() {
    const stop = new AbortController();
    const work = async (): Promise<void> => {
      this.#take(await listServices(this.#ctx, {}));
    };
    const failing = "the services of the cluster can't be looked at";
    return { stop, done: repeat({ everyMs: LOOK_MS, work, failing, log: this.#ctx.log }, stop.signal) };
  }

  #take(services: readonly OwnService[]): void {
    const events = services.flatMap((own) => own.tasks.flatMap((task) => this.#eventsOf(own, task)));
    const there = new Set(services.flatMap(({ tasks }) => tasks.map(({ ID }) => ID)));
    for (const [id, seen] of this.#tasks) {
      if (there.has(id)) continue;
      this.#tasks.delete(id);
      // It has gone between two looks, which only those do that were told to.
      if (!seen.hasEnded && isLive(seen.task)) events.push(toEvent(seen, "signalled"), toEvent(seen, "ended"));
      else if (!seen.hasEnded && seen.isSignalled) events.push(toEvent(seen, "ended"));
    }
    this.#hasLooked = true;
    for (const own of services) this.endsOf(own);
    const ids = new Set(services.map(({ id }) => id));
    for (const id of this.#ends.keys()) if (!ids.has(id)) this.#ends.delete(id);
    if (events.length === 0) return;
    const inOrder = events.toSorted((a, b) => a.time.getTime() - b.time.getTime());
    const numbered = inOrder.map((event) => ({ number: (this.#count += 1), event }));
    this.#events = [...this.#events, ...numbered].slice(-EVENTS_MAX);
    this.#changes.notify();
  }

  #eventsOf(own: OwnService, task: SwarmTask): ContainerEvent[] {
    const before = this.#tasks.get(task.ID);
    const isOver = hasEnded(task) || task.Status.State === "shutdown";
    const isToldToEnd = task.DesiredState !== "running" && task.DesiredState !== "ready" && !hasEnded(task);
    const seen: SeenTask = { own, task, isSignalled: before?.isSignalled === true || isToldToEnd, hasEnded: isOver };
    this.#tasks.set(task.ID, seen);
    const at = (kind: ContainerEvent["kind"]) => toEvent(seen, kind, new Date(task.Status.Timestamp));
    const events: ContainerEvent[] = [];
    if (task.Status.State === "running" && before?.task.Status.State !== "running") events.push(at("started"));
    if (isToldToEnd && !before?.isSignalled && (before !== undefined || !isOver))
      events.push(toEvent(seen, "signalled"));
    if (isOver && !before?.hasEnded && (before !== undefined || this.#hasLooked || hasEnded(task)))
      events.push(at("ended"));
    return events;
  }
}

function toEvent({ own, task }: SeenTask, kind: ContainerEvent["kind"], time = new Date()): ContainerEvent {
  const { app, role } = own.identity;
  const exitCode = kind === "ended" ? task.Status.ContainerStatus?.ExitCode : undefined;
  return { containerId: own.id, appId: app.id, appName: app.name, role, kind, exitCode, time };
}
