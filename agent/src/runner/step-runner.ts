import type { Clock } from "@svc/shared/platform/clock.ts";
import { SvcError } from "@svc/shared/errors.ts";
import type {
  CloneBuildSpec,
  DeployContainerSpec,
  ProvisionDbSpec,
  ProxyRouteSpec,
} from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { stepLimitMs } from "@svc/shared/rules/step-limits.ts";
import type { StepName } from "@svc/shared/rules/steps.ts";
import type { Journal } from "./journal.ts";
import type { RunJournal, RunKey } from "./journal-run.ts";
import type { AppRef, Engine, Git, Host, OwnedApp, Proxy } from "../ports.ts";
import { outcomeOfThrown, settledOrGivenUp, type Outcome } from "./step-outcome.ts";
import type { Handover, StepContext, StepDefinition, StepOutputMessage } from "./step.ts";
import { untilEngineAnswers } from "../engine/until-engine-answers.ts";

/** The four steps; tests bring their own. */
export interface StepTable {
  provision_db: StepDefinition<ProvisionDbSpec>;
  clone_build: StepDefinition<CloneBuildSpec>;
  deploy_container: StepDefinition<DeployContainerSpec>;
  proxy_route: StepDefinition<ProxyRouteSpec>;
}

export type StepSpec =
  | { step: "provision_db"; spec: ProvisionDbSpec }
  | { step: "clone_build"; spec: CloneBuildSpec }
  | { step: "deploy_container"; spec: DeployContainerSpec }
  | { step: "proxy_route"; spec: ProxyRouteSpec };

export interface RunRequest {
  deployId: string;
  app: OwnedApp;
  /** 1, or 2 when run 1 was interrupted. */
  run: number;
  work: StepSpec;
}

export interface StepPorts {
  git: Git;
  engine: Engine;
  proxy: Proxy;
  host: Host;
}

/** The observer learns what happens to runs, for metrics and the status. */
export interface RunObserver {
  runStarted(key: RunKey): void;
  runEnded(key: RunKey, facts: { outcome: string; seconds: number; events: number }): void;
  /** `error` is the cause; only operators see it. */
  failed(code: string, error: unknown): void;
}

interface Options {
  journal: Journal;
  steps: StepTable;
  ports: StepPorts;
  dataDirectory: string;
  clock: Clock;
  log: Logger;
  observer: RunObserver;
  /** How long a run may take to end after it was told to; then it is reported as ended. Milliseconds. */
  graceMs?: number;
  /** The app's hosts lead to the deploy's container from now on; awaited before that is told. Never rejects. */
  onSwitched?: (app: AppRef, deployId: string, isWatched: boolean) => Promise<void>;
  limitMs?: typeof stepLimitMs;
}

/** A step that ignores its signal for this long is a bug; the host's lock must not hang on it. */
const GRACE_MS = 30_000;

function sourceSeconds(work: StepSpec): number {
  if (work.step === "clone_build") return work.spec.timeLimitSeconds;
  return work.step === "provision_db" ? (work.spec.source?.timeLimitSeconds ?? 0) : 0;
}

interface Work {
  key: RunKey;
  app: AppRef;
  controller: AbortController;
  ended: Promise<void>;
}

/**
 * Runs the steps of the deploys that hold a lock, one at a time for each and for each app. A run lives on its own: streams
 * attach to its journal and may break; only `cancel`, its time limit or the agent's end stops it.
 */
export class StepRunner {
  readonly #options: Options;
  /** Runs by deploy. */
  readonly #works = new Map<string, Work>();
  /** Runs by deploy, until its lock is unlocked. */
  readonly #handovers = new Map<string, Handover>();
  #stopping = false;
  #starting: Promise<unknown> = Promise.resolve();

  constructor(options: Options) {
    this.#options = options;
  }

  /** Returns the step that the deploy runs. */
  stepOf(deployId: string): StepName | undefined {
    return this.#works.get(deployId)?.key.step;
  }

  /** Whether a step of any deploy of the app runs. */
  worksOn(appId: string): boolean {
    return this.#workOn(appId) !== undefined;
  }

  /**
   * Starts the run, or finds it: asking again is harmless.
   * @throws SvcError deploy_in_progress while another run of the deploy or app goes on, invalid_request for a second run of a step that was
   * not interrupted, agent_away while the agent stops
   */
  run(request: RunRequest): Promise<RunJournal> {
    const result = this.#starting.then(() => this.#findOrStart(request));
    this.#starting = result.catch(() => undefined);
    return result;
  }

  /** Ends what the deploy runs; resolves when it has ended. False when nothing of it ran. */
  async cancel(deployId: string): Promise<boolean> {
    // A run that is just starting must not slip through.
    await this.#starting;
    const work = this.#works.get(deployId);
    if (!work) return false;
    work.controller.abort(new SvcError("canceled", "The deploy was canceled."));
    await work.ended;
    return true;
  }

  /** Takes back what a step did. @throws SvcError deploy_in_progress while the deploy runs a step */
  async undo(step: StepName, deployId: string, app: AppRef, signal: AbortSignal): Promise<void> {
    const running = this.stepOf(deployId);
    if (running !== undefined) {
      throw new SvcError(
        "deploy_in_progress",
        `Deploy ${deployId} still runs ${running}; cancel it before undoing it.`,
      );
    }
    const { steps, ports, dataDirectory } = this.#options;
    const handover = this.#handovers.get(deployId) ?? {};
    await steps[step].undo({ app, deployId, signal, handover, ...ports, dataDirectory });
  }

  /** Drops what the deploy's steps have left for one another: it has ended. */
  forget(deployId: string): void {
    this.#handovers.delete(deployId);
  }

  /** Refuses new runs, gives those that go on `patienceMs` to end by themselves, then interrupts them: they can be run again. */
  async stop(patienceMs: number): Promise<void> {
    this.#stopping = true;
    await this.#starting;
    const works = [...this.#works.values()];
    const timer = setTimeout(() => {
      const reason = new SvcError("step_interrupted", "The agent stopped during the step.");
      for (const { controller } of works) controller.abort(reason);
    }, patienceMs);
    await Promise.all(works.map(({ ended }) => ended));
    clearTimeout(timer);
  }

  async #findOrStart(request: RunRequest): Promise<RunJournal> {
    const key: RunKey = { deployId: request.deployId, step: request.work.step, run: request.run };
    const { journal } = this.#options;
    const found = await journal.find(key);
    if (found) return found;
    if (this.#stopping) throw new SvcError("agent_away", "The agent of this server is stopping; try again shortly.");
    const other = this.#works.get(request.deployId) ?? this.#workOn(request.app.id);
    if (other) throw busy(other.key);
    if (key.run === 2) await this.#requireInterrupted({ ...key, run: 1 });
    return this.#start(key, request);
  }

  async #requireInterrupted(first: RunKey): Promise<void> {
    const outcome = (await this.#options.journal.find(first))?.result?.outcome.case;
    if (outcome === "interrupted") return;
    const why = outcome === undefined ? "there was no run 1" : `run 1 ended with ${outcome}`;
    throw new SvcError(
      "invalid_request",
      `run is 2, but ${first.step} is run again only after an interruption; ${why}.`,
    );
  }

  async #start(key: RunKey, request: RunRequest): Promise<RunJournal> {
    const log = this.#options.log.child({ deploy: key.deployId, step: key.step, run: key.run, app: request.app.name });
    const controller = new AbortController();
    const journal = await this.#options.journal.begin(key, request.app, (error) => {
      log.error({ err: error }, "the journal can't be written");
      const sentence = "The agent's data directory can't be written; free disk space on the server and deploy again.";
      controller.abort(new SvcError("disk_full", sentence, { cause: error }));
    });
    const ended = this.#work(journal, request, controller, log);
    this.#works.set(key.deployId, { key, app: request.app, controller, ended });
    return journal;
  }

  #handoverOf(deployId: string): Handover {
    const handover = this.#handovers.get(deployId) ?? {};
    this.#handovers.set(deployId, handover);
    return handover;
  }

  #workOn(appId: string): Work | undefined {
    return [...this.#works.values()].find(({ app }) => app.id === appId);
  }

  /** Never throws: whatever happens is the run's result. */
  async #work(journal: RunJournal, request: RunRequest, controller: AbortController, log: Logger): Promise<void> {
    const { observer, clock, limitMs = stepLimitMs } = this.#options;
    const { step } = request.work;
    const started = clock.now().getTime();
    observer.runStarted(journal.key);
    log.info("step started");
    const limit = limitMs(step, sourceSeconds(request.work));
    const timer = setTimeout(() => {
      const sentence = `The step ${step} did not end within ${Math.round(limit / 1000)} s and was stopped; deploy again.`;
      controller.abort(new SvcError("step_timed_out", sentence));
    }, limit);
    const outcome = await this.#outcomeOf(journal, request, controller.signal, log);
    clearTimeout(timer);
    await journal.finish(outcome);
    // Runs before any reader, which has to go to the disk first, can answer to the result with the next call.
    this.#works.delete(journal.key.deployId);
    const seconds = (clock.now().getTime() - started) / 1000;
    const facts = { outcome: outcome.case, seconds, events: journal.eventCount };
    observer.runEnded(journal.key, facts);
    log.info(facts, "step ended");
  }

  async #outcomeOf(journal: RunJournal, request: RunRequest, signal: AbortSignal, log: Logger): Promise<Outcome> {
    const { ports, dataDirectory, graceMs = GRACE_MS, observer, clock } = this.#options;
    const context: StepContext = {
      app: request.app,
      deployId: request.deployId,
      output: journal,
      signal,
      handover: this.#handoverOf(request.deployId),
      ...ports,
      dataDirectory,
    };
    let hasBegun = false;
    try {
      const onWait = (): void => journal.progress("waiting for the server's container engine");
      await untilEngineAnswers(ports.engine, { clock, signal, onWait });
      hasBegun = true;
      const output = await settledOrGivenUp(this.#runStep(context, request.work), signal, graceMs);
      return { case: "success", value: { output } };
    } catch (thrown) {
      const failed = (code: string, error: unknown): void => observer.failed(code, error);
      return outcomeOfThrown(thrown, { key: journal.key, signal, hasBegun, log, failed });
    }
  }

  async #runStep(context: StepContext, work: StepSpec): Promise<StepOutputMessage> {
    const { steps, onSwitched } = this.#options;
    switch (work.step) {
      case "provision_db":
        return await steps.provision_db.run(context, work.spec);
      case "clone_build":
        return await steps.clone_build.run(context, work.spec);
      case "deploy_container":
        return await steps.deploy_container.run(context, work.spec);
      case "proxy_route": {
        const output = await steps.proxy_route.run(context, work.spec);
        await onSwitched?.(context.app, context.deployId, work.spec.watched);
        return output;
      }
    }
  }
}

function busy({ deployId, step, run }: RunKey): SvcError {
  return new SvcError("deploy_in_progress", `This server still runs ${step} (run ${run}) of deploy ${deployId}.`);
}
