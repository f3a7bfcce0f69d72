import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { systemClock, type Clock } from "@svc/shared/platform/clock.ts";
import type { HostPort } from "@svc/shared/platform/env.ts";
import { SvcError } from "@svc/shared/errors.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { AccessMetrics } from "./edge/access-log/access-metrics.ts";
import { AppLogs } from "./edge/access-log/app-logs.ts";
import { accessPositionFile, keepAccessLogs } from "./edge/access-log/keep-access-logs.ts";
import { createAppControl } from "./apps/app-control.ts";
import { createAppTurns } from "./apps/app-turns.ts";
import { AppNotices } from "./engine/logs/app-notices.ts";
import { createMemoryPromise } from "./bounds/memory-promise.ts";
import { watchContainers, type ContainerWatchOptions } from "./bounds/watch-containers.ts";
import { watchDisk } from "./bounds/watch-disk.ts";
import { claimDirectory } from "@svc/shared/platform/claim-directory.ts";
import type { AgentConfig } from "./config.ts";
import { healthNotice, noticeLine } from "./engine/logs/app-notice.ts";
import { DEFAULT_DISK_LIMITS } from "./engine/disk-limits.ts";
import { FormerLogs } from "./engine/logs/former-logs.ts";
import { keepLogsOnRemoval } from "./engine/logs/keep-on-removal.ts";
import { keepFormerLogsPruned } from "./engine/logs/prune-former-logs.ts";
import { keepLogStore } from "./log-store/keep-log-store.ts";
import { LogStore } from "./log-store/log-store.ts";
import type { ContainerState } from "./ports.ts";
import { connectToFleet } from "./link/connect.ts";
import { beginTrial } from "./link/trial.ts";
import { sweepUpgrades } from "./link/upgrade.ts";
import { identify } from "./link/identify.ts";
import { loadIdentity, saveCertificate } from "./link/identity.ts";
import { dismissed, endAllServing, noteDismissal, readDismissal } from "./link/leave-fleet.ts";
import { keepCertificate } from "./link/renew.ts";
import { createHostParts, type HostParts } from "./host/parts.ts";
import { HttpServer } from "./host/http.ts";
import { openJournal } from "./runner/journal.ts";
import { keepAppsRunning } from "./apps/keep-apps-running.ts";
import { openLock } from "./runner/lock.ts";
import { openMetricsToken } from "./host/metrics-token.ts";
import { Metrics } from "./host/metrics.ts";
import { keepLastDump } from "./database/last-dump.ts";
import { keepDumpsPruned } from "./database/prune-dumps.ts";
import { accessLogDirectory, accessLogFiles } from "./edge/caddy/caddy-access-log.ts";
import { openProbations } from "./probation/open-probations.ts";
import type { ProbationTuning } from "./probation/probations.ts";
import { createReconciler } from "./apps/reconcile-apps.ts";
import { agentService } from "./link/rpc/agent-service.ts";
import { createRpcServer } from "./link/rpc/server.ts";
import { Changes } from "./platform/changes.ts";
import { AppHealth } from "./host/app-health.ts";
import { StatusCollector } from "./host/collector.ts";
import { LastErrors } from "./host/last-errors.ts";
import { UpstreamStates } from "./edge/upstream-states.ts";
import { SourcePlanner } from "./source/source-planner.ts";
import { createAppSamples } from "./samples/sample-apps.ts";
import { StepRunner } from "./runner/step-runner.ts";
import { sweepClones } from "./source/checkout.ts";
import { watchUpstreams } from "./edge/watch-upstreams.ts";
import { findInstallation } from "./platform/installation.ts";
import { AGENT_VERSION } from "./platform/version.ts";

export interface AgentOverrides {
  log: Logger;
  clock?: Clock;
  /** The parts that the agent drives; the real engine, proxy, git and host by default. */
  hostParts?: (config: AgentConfig, serverId: string, log: Logger) => HostParts | Promise<HostParts>;
  /** How long a running step may go on when the agent stops. Milliseconds. */
  stopPatienceMs?: number;
  probation?: ProbationTuning;
}

export interface Agent {
  /** Resolves when the agent is ready. @throws SvcError with a sentence for the operator; then nothing runs */
  start(): Promise<{ http: HostPort; listen: HostPort | undefined }>;
  /** Idempotent. Ends within 30 s whatever runs; the apps, the proxy and the name server serve on. */
  stop(): Promise<void>;
  /**
   * Resolves when the agent ends by itself. With a sentence when the host was removed from the fleet, and nothing serves on it any
   * more, or when a new version was not linked; without one when another version is to be started.
   */
  readonly ended: Promise<SvcError | undefined>;
}

/** An answer over the link takes milliseconds. */
const ANSWER_MS = 500;
const UPGRADE_STOP_MS_MAX = 29_000;

/** Time that a running step gets to end by itself, of the 30 s that a stop may take. */
const STOP_PATIENCE_MS = 25_000;

/** The agent, wired; nothing happens before `start`. */
export function create(config: AgentConfig, overrides: AgentOverrides): Agent {
  const { log, clock = systemClock, hostParts = createHostParts, stopPatienceMs = STOP_PATIENCE_MS } = overrides;
  const stopping = new AbortController();
  const { signal } = stopping;
  /** Parts that `stop` ends, in the opposite order. */
  const cleanups: (() => Promise<unknown>)[] = [];
  /** Work that goes on until the signal. */
  const background = new Set<Promise<void>>();
  let stopped: Promise<void> | undefined;
  let leaving: Promise<void> | undefined;
  const ended = Promise.withResolvers<SvcError | undefined>();

  /** Resolves when it will be done, whatever happens to this process. */
  async function leaveFleet(reason: string, endServing: () => Promise<void>): Promise<void> {
    await noteDismissal(config.dataDirectory, reason);
    leaving ??= stop()
      .then(endServing)
      .catch((err: unknown) => log.error({ err }, "what ran for the fleet is not stopped yet: start the agent again"))
      .finally(() => ended.resolve(dismissed(reason)));
  }

  /** The caller has its answer first. */
  function endForUpgrade(): void {
    const end = async (): Promise<void> => {
      await clock.sleep(ANSWER_MS);
      // The next version is not held up by a part that does not stop.
      await Promise.race([stop(), clock.sleep(UPGRADE_STOP_MS_MAX)]);
      ended.resolve(undefined);
    };
    end().catch((error: unknown) => ended.reject(error));
  }

  /** @throws SvcError server_removed, once nothing serves, on a host that was removed from the fleet */
  async function refuseDismissed(): Promise<void> {
    const reason = await readDismissal(config.dataDirectory);
    if (reason === undefined) return;
    const identity = await loadIdentity(config.dataDirectory);
    if (identity) {
      const { ports, shutDownProxy } = await hostParts(config, identity.serverId, log);
      await endAllServing({ engine: ports.engine, shutDownProxy, log });
    }
    throw dismissed(reason);
  }

  function inBackground(work: Promise<void>): void {
    background.add(work);
    void work.finally(() => background.delete(work));
  }

  async function startParts(): Promise<{ http: HostPort; listen: HostPort | undefined }> {
    const { dataDirectory } = config;
    await mkdir(dataDirectory, { recursive: true, mode: 0o700 });
    await chmod(dataDirectory, 0o700);
    cleanups.push(await claimDirectory("agent", dataDirectory, anotherAgent(dataDirectory)));
    await refuseDismissed();
    const installation = findInstallation();
    const trial = installation && (await beginTrial({ installation, clock, log, signal, end: ended.resolve }));
    if (installation) {
      await sweepUpgrades(installation).catch((err: unknown) => log.warn({ err }, "what an upgrade has left stays"));
    }
    // A git that a killed agent left may hold one up for a moment; the next start takes what is left.
    await sweepClones(dataDirectory).catch((err: unknown) =>
      log.warn({ err }, "checkouts of former deploys are not removed yet"),
    );

    const identity = await identify(config, { clock, log, signal });
    const parts = await hostParts(config, identity.serverId, log);
    const { keepAppsApart, proxySupervision, shutDownProxy, steps } = parts;
    const memory = createMemoryPromise(parts.ports.engine, parts.ports.host);
    const logDirectory = join(dataDirectory, "log-store");
    const logStore = new LogStore({ directory: logDirectory, engine: memory.engine, clock });
    const notices = new AppNotices((notice) => logStore.note(notice.appId, noticeLine(notice)));
    const formerLogs = new FormerLogs(join(dataDirectory, "former-logs"));
    const storeRest = (container: ContainerState): Promise<number> =>
      logStore.collect(container.appId, [container], { isLast: true });
    const ports = {
      ...parts.ports,
      engine: keepLogsOnRemoval({ engine: memory.engine, notices, formerLogs, storeRest, log }),
    };
    const changes = new Changes();
    const lastErrors = new LastErrors(clock, () => changes.notify());
    inBackground(keepAppsApart(signal, (error) => lastErrors.record(error.code, error)));
    const lock = await openLock({ dataDirectory, clock, onChange: () => changes.notify() });
    const journal = await openJournal({ dataDirectory, clock, log });
    let isLinked = false;
    const metrics = new Metrics({ linkUp: () => isLinked, lockHeld: () => lock.current() !== undefined });
    const observer = {
      runStarted: () => changes.notify(),
      runEnded: (...ended: Parameters<Metrics["runEnded"]>) => {
        metrics.runEnded(...ended);
        changes.notify();
      },
      failed: (code: string, error: unknown) => lastErrors.record(code, error),
    };
    const { engine, proxy } = ports;
    const isBusy = (deployId: string): boolean => lock.held().some(({ holder }) => holder.deployId === deployId);
    const upstreams = new UpstreamStates(clock, () => changes.notify());
    const health = new AppHealth(clock, (app, reason, time) => {
      notices.add({ ...app, kind: "health", time, text: healthNotice(reason) });
      log.warn({ app: app.appName, appId: app.appId, reason: reason ?? null }, "an app's health has changed");
    });
    const { probations, retirer } = await openProbations({
      engine,
      proxy,
      dataDirectory,
      notices,
      clock,
      log,
      isBusy,
      onChange: () => changes.notify(),
      stopping: signal,
      tuning: overrides.probation,
    });
    const onSwitched = probations.begin;
    const runner = new StepRunner({ journal, steps, ports, dataDirectory, clock, log, observer, onSwitched });
    const status = new StatusCollector({
      version: AGENT_VERSION,
      ...ports,
      dataDirectory,
      clock,
      lastErrors,
      health,
      upstreams,
      heldLocks: lock.held,
      runningStep: (deployId) => runner.stepOf(deployId),
      takenBack: probations.takenBack,
    });
    const dumpDirectory = join(dataDirectory, "dumps");

    const accessLogs = new AppLogs(join(dataDirectory, "access-logs"));
    const accessMetrics = new AccessMetrics(metrics.registry, proxy);
    const samples = createAppSamples({ engine, clock, log });
    const turns = createAppTurns();

    const rpc = createRpcServer({
      service: agentService({
        lock,
        journal,
        runner,
        engine,
        proxy,
        status,
        health,
        changes,
        appControl: createAppControl({
          engine,
          proxy,
          requireMemory: memory.requireKept,
          // A dump belongs to a purge, which frees memory: it may start a database for a moment also where all is promised.
          keepLastDump: (app) =>
            keepLastDump({ engine: parts.ports.engine, host: ports.host, directory: dumpDirectory, clock, log }, app),
          clock,
          log,
        }),
        turns,
        probations,
        retire: (app, keptDeployIds) => inBackground(retirer.retire(app, signal, { keptDeployIds })),
        accessLogs,
        samples: samples.history,
        notices,
        formerLogs,
        planner: new SourcePlanner({ ...ports, dataDirectory }),
        logStore,
        host: ports.host,
        clock,
        installation,
        endForUpgrade,
        onWatched: () => trial?.called(),
        leaveFleet: (reason) =>
          leaveFleet(reason, () => endAllServing({ engine: parts.ports.engine, shutDownProxy, log })),
        forget: async ({ id }) => {
          await formerLogs.remove(id);
          await logStore.remove(id);
          notices.forget(id);
          accessLogs.remove(id);
          accessMetrics.forget(id);
          samples.forget(id);
        },
        stopping: signal,
      }),
      stopping: signal,
      log,
      onUnknownError: (error) => lastErrors.record("internal", error),
    });

    await proxy.ensureRunning().catch((err: unknown) => {
      log.error({ err }, "the proxy does not run yet; the agent goes on trying");
      lastErrors.record("proxy_unavailable", err);
    });
    inBackground(proxySupervision(signal));
    const engineLost = new Changes();
    const heldBack = new Set<string>();
    const isDeploying = runner.worksOn.bind(runner);
    const reconcile = createReconciler({ engine, proxy, turns, clock, log, isDeploying, heldBack });
    inBackground(keepAppsRunning({ engine, reconcile, engineLost, log }, signal));
    inBackground(watchUpstreams({ proxy, upstreams, clock, log }, signal));
    const diskLimits = {
      ...DEFAULT_DISK_LIMITS,
      appBytes: config.appDiskBytes,
      databaseBytes: config.databaseDiskBytes,
    };
    const report = lastErrors.record.bind(lastErrors);
    inBackground(
      watchDisk({ engine, proxy, host: ports.host, limits: diskLimits, clock, log, report, heldBack }, signal),
    );
    const onEnd: ContainerWatchOptions["onEnd"] = (container, forMemory) => {
      health.ended(container, forMemory);
      changes.notify();
    };
    const onEventsEnd = (): void => engineLost.notify();
    inBackground(watchContainers({ engine, notices, onEnd, onEventsEnd, clock, log, report }, signal));
    probations.resume();
    cleanups.push(() => probations.settled());
    inBackground(retirer.sweep(signal));
    inBackground(
      keepAccessLogs(
        {
          logs: accessLogs,
          source: { directory: accessLogDirectory(dataDirectory), filesOf: accessLogFiles },
          proxy,
          positionFile: accessPositionFile(dataDirectory),
          observers: [accessMetrics, samples],
          clock,
          log,
        },
        signal,
      ),
    );
    inBackground(
      keepLogStore({ store: logStore, engine, host: ports.host, directory: dataDirectory, clock, log }, signal),
    );
    inBackground(samples.keep(signal));
    inBackground(keepFormerLogsPruned({ formerLogs, clock, log }, signal));
    inBackground(keepDumpsPruned({ directory: dumpDirectory, clock, log }, signal));

    const metricsToken = await openMetricsToken(dataDirectory);
    const http = new HttpServer({
      listen: config.http,
      engine,
      proxy,
      metrics,
      isLinked: () => isLinked,
      metricsToken,
      log,
    });
    const httpAddress = await http.start();
    cleanups.push(() => http.stop());

    const onConnections = (connected: boolean): void => {
      isLinked = connected;
    };
    const connected = await connectToFleet(config, { identity, attach: rpc.attach, log, onChange: onConnections });
    cleanups.push(() => connected.stop());
    cleanups.push(() => runner.stop(stopPatienceMs));

    inBackground(
      keepCertificate({
        controlPlane: config.controlPlane,
        listen: config.listen,
        version: AGENT_VERSION,
        identity,
        clock,
        log,
        signal,
        use: (renewed) => connected.useIdentity(renewed),
        save: (renewed) => saveCertificate(dataDirectory, renewed),
      }),
    );
    return { http: httpAddress, listen: connected.address };
  }

  async function stopParts(): Promise<void> {
    stopping.abort(new SvcError("agent_away", "The agent of this server is stopping; try again shortly."));
    for (const cleanup of cleanups.toReversed()) {
      await cleanup().catch((err: unknown) => log.error({ err }, "a part did not stop cleanly"));
    }
    await Promise.allSettled(background);
  }

  const stop = (): Promise<void> => (stopped ??= stopParts());

  return {
    async start() {
      try {
        return await startParts();
      } catch (error) {
        await stop();
        throw error;
      }
    },
    stop,
    ended: ended.promise,
  };
}

function anotherAgent(dataDirectory: string): string {
  const advice = "stop it, or give this one a directory of its own with SVC_DATA_DIR";
  return `Another agent runs on the data directory ${dataDirectory}; ${advice}.`;
}
