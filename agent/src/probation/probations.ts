import type { Clock } from "@svc/shared/platform/clock.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { repeatUntilDone } from "@svc/shared/platform/repeat.ts";
import { GRACE_SECONDS } from "@svc/shared/rules/stop-grace.ts";
import { failureSentence, type Failure, type Probation, type TakenBack } from "./probation.ts";
import { leadsToContainer } from "../edge/routes.ts";
import { lastLogLines } from "../engine/logs/last-log-lines.ts";
import type { AppRef, Engine, Proxy, Route } from "../ports.ts";
import type { Replaced } from "../apps/retire.ts";
import { acceptsConnection } from "../edge/upstream-probe.ts";
import { askUpstream, type Ask } from "./ask.ts";
import type { ProbationLedger } from "./ledger.ts";
import { makeReady } from "./make-ready.ts";
import { leadBack } from "./take-back.ts";
import { PATIENCE, watchContainer, type Patience } from "./watch-container.ts";

/** Most apps that can't live end within seconds of their first requests; memory for a second container is kept as long. */
const PROBATION_MS = 30_000;

/** The pause between two attempts to lead the hosts back; the disk of the route table may be full for a moment. */
const RETRY_MS = 1_000;

export interface ProbationOptions {
  ledger: ProbationLedger;
  engine: Engine;
  proxy: Proxy;
  clock: Clock;
  log: Logger;
  /** Removes what deploys of the app have replaced, and what this one has. Never rejects. */
  retire: (app: AppRef, replaced: Replaced) => Promise<void>;
  /** The app's routes from before the deploy's switch; undefined when it has not switched. */
  formerRoutes: (deployId: string) => Promise<readonly Route[] | undefined>;
  /** The former container serves again. */
  onTakenBack?: (taken: TakenBack) => void;
  /** The agent stops: what goes on is taken up again by the next one. */
  stopping: AbortSignal;
  tuning?: ProbationTuning;
}

/** Settings that a test may shorten or replace. */
export interface ProbationTuning {
  ms?: number;
  patience?: Patience;
  ask?: Ask;
  accepts?: (upstream: string) => Promise<boolean>;
}

/** The deploys that went live a moment ago (decision 020). */
export interface Probations {
  /** Takes up what a former process of the agent has left. */
  resume(): void;
  /**
   * The deploy has just led the app's hosts to its container. If it is to be watched, and another one served before, its
   * probation begins. Never rejects.
   */
  begin(app: AppRef, deployId: string, isWatched: boolean): Promise<void>;
  /** Somebody has decided about the app: nothing is taken back from here on. */
  end(app: AppRef): Promise<void>;
  /** Deploys taken back that the control plane has not confirmed yet. */
  takenBack(): TakenBack[];
  /** The control plane has recorded it. Idempotent. */
  confirm(deployId: string): Promise<void>;
  /** Resolves when no work goes on; for the agent's end. */
  settled(): Promise<void>;
}

interface Watch {
  ended: AbortController;
  /** Resolves when it is decided whether the deploy is taken back, and the routes say so. */
  decided: Promise<void>;
}

export function createProbations(options: ProbationOptions): Probations {
  const { ledger, engine, proxy, clock, log, retire, formerRoutes, onTakenBack, stopping, tuning = {} } = options;
  const { ms = PROBATION_MS, patience = PATIENCE, ask = askUpstream, accepts = acceptsConnection } = tuning;
  /** App → what is watched of it. */
  const watches = new Map<string, Watch>();
  const work = new Set<Promise<void>>();

  function inBackground(task: Promise<void>): void {
    const logged = task.catch((err: unknown) => log.error({ err }, "a probation ended early"));
    work.add(logged);
    void logged.finally(() => work.delete(logged));
  }

  async function find(app: AppRef, deployId: string): Promise<Probation | undefined> {
    const [former, routes] = await Promise.all([formerRoutes(deployId), proxy.routes()]);
    const containers = await engine.list({ appId: app.id, role: "app" });
    const own = containers.find((each) => each.deployId === deployId && routes.some(leadsTo(each.id)));
    const before = containers.find((each) => each.id !== own?.id && former?.some(leadsTo(each.id)));
    if (own?.startedAt === undefined || before?.state !== "running") return undefined;
    return {
      app: { id: app.id, name: app.name },
      deployId,
      containerId: own.id,
      startedAt: own.startedAt.toISOString(),
      formerId: before.id,
      formerDeployId: before.deployId ?? "",
      until: new Date(clock.now().getTime() + ms).toISOString(),
    };
  }

  function watch(probation: Probation): void {
    const ended = new AbortController();
    const signal = AbortSignal.any([ended.signal, stopping]);
    const decided = decide(probation, signal).finally(() => {
      if (watches.get(probation.app.id)?.ended === ended) watches.delete(probation.app.id);
    });
    watches.set(probation.app.id, { ended, decided });
    inBackground(decided);
  }

  async function decide(probation: Probation, signal: AbortSignal): Promise<void> {
    const failure = await watchContainer({ engine, proxy, clock, ask, patience }, probation, signal);
    if (stopping.aborted) return;
    if (failure && !signal.aborted) return await carryOut(await decideToTakeBack(probation, failure), signal, false);
    await ledger.change((state) => ({ ...state, probations: without(state.probations, probation) }));
    inBackground(retire(probation.app, replacedBy(probation)));
  }

  async function decideToTakeBack(probation: Probation, failure: Failure): Promise<TakenBack> {
    const { app, deployId, containerId, formerId, formerDeployId } = probation;
    const failed = (await engine.list({ appId: app.id, role: "app" })).find(({ id }) => id === containerId);
    const { reason, exitCode, at } = failure;
    const taken: TakenBack = {
      app,
      deployId,
      containerId,
      formerId,
      servedDeployId: formerDeployId,
      reason,
      ...(exitCode !== undefined && { exitCode }),
      detail: failureSentence(failure, failed?.memoryBytes),
      lastLines: failed ? await lastLogLines(engine, containerId) : [],
      at: at.toISOString(),
      isDone: false,
    };
    await ledger.change((state) => ({
      ...state,
      probations: without(state.probations, probation),
      takenBack: [...state.takenBack.filter((each) => each.deployId !== deployId), taken],
    }));
    return taken;
  }

  /**
   * Where the former container can't serve, or somebody has decided otherwise, the new one goes on, as well as it can.
   * @param isAgain another process of the agent may have done a part of it
   */
  async function carryOut(taken: TakenBack, signal: AbortSignal, isAgain: boolean): Promise<void> {
    const { app, deployId, containerId, formerId } = taken;
    const finish = (isDone: boolean): Promise<void> =>
      ledger.change((state) => {
        const others = state.takenBack.filter((each) => each.deployId !== deployId);
        if (!isDone) return { ...state, takenBack: others };
        const kept = [...state.kept.filter(({ appId }) => appId !== app.id), { appId: app.id, containerId }];
        return { ...state, takenBack: [...others, { ...taken, isDone }], kept };
      });
    for (;;) {
      try {
        const former = await makeReady({ engine, clock, accepts }, { appId: app.id, id: formerId });
        const leads = former !== undefined && (await leadBack(proxy, taken, former, isAgain));
        await finish(leads);
        if (leads) onTakenBack?.(taken);
        log.warn({ app: app.name, deployId, reason: taken.reason, leads }, "a deploy failed soon after it went live");
        return inBackground(leads ? stopKept(containerId) : retire(app, replacedBy(taken)));
      } catch (err) {
        if (stopping.aborted) return;
        if (signal.aborted) return await finish(false);
        log.error({ err, app: app.name, deployId }, "the former container does not serve yet; this is tried again");
        await clock.sleep(RETRY_MS, signal).catch(() => undefined);
      }
    }
  }

  /** Stops a container that was taken back, which stays for its log. */
  async function stopKept(containerId: string): Promise<void> {
    const isKept = (): boolean => ledger.state.kept.some((each) => each.containerId === containerId);
    const work = async (): Promise<void> => {
      if (isKept()) await engine.stop(containerId, GRACE_SECONDS.app);
    };
    const failing = `the container ${containerId}, which was taken back, still runs; stopping it is tried again`;
    await repeatUntilDone({ everyMs: RETRY_MS, retryMsMax: RETRY_MS, work, failing, clock, log }, stopping);
  }

  return {
    resume() {
      for (const { containerId } of ledger.state.kept) inBackground(stopKept(containerId));
      for (const probation of ledger.state.probations) watch(probation);
      for (const taken of ledger.state.takenBack) if (!taken.isDone) inBackground(carryOut(taken, stopping, true));
    },
    async begin(app, deployId, isWatched) {
      try {
        const probation = isWatched ? await find(app, deployId) : undefined;
        await ledger.change((state) => ({
          ...state,
          probations: [...state.probations.filter((each) => each.app.id !== app.id), ...(probation ? [probation] : [])],
          kept: state.kept.filter(({ appId }) => appId !== app.id),
        }));
        if (probation) watch(probation);
      } catch (err) {
        log.error({ err, app: app.name, deployId }, "the new container is not watched");
      }
    },
    async end({ id }) {
      const watched = watches.get(id);
      watched?.ended.abort();
      await watched?.decided.catch(() => undefined);
    },
    takenBack: () => ledger.state.takenBack.filter(({ isDone }) => isDone),
    confirm: (deployId) =>
      ledger.change((state) =>
        state.takenBack.some((each) => each.deployId === deployId)
          ? { ...state, takenBack: state.takenBack.filter((each) => each.deployId !== deployId) }
          : state,
      ),
    async settled() {
      while (work.size > 0) await Promise.all(work);
    },
  };
}

function replacedBy({ formerId, deployId }: Pick<Probation, "formerId" | "deployId">): Replaced {
  return { containerId: formerId, byDeployId: deployId };
}

function leadsTo(containerId: string): (route: Route) => boolean {
  return (route) => route.containerId === containerId && leadsToContainer(route);
}

function without(probations: readonly Probation[], { deployId }: Probation): Probation[] {
  return probations.filter((each) => each.deployId !== deployId);
}
