import { LEASE_SECONDS } from "@svc/shared/rules/step-limits.ts";
import { timestampFromDate, timestampMs } from "@bufbuild/protobuf/wkt";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { SvcError } from "@svc/shared/errors.ts";
import { LogSource, type AgentService, type Lock } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { LINES_BEFORE } from "@svc/shared/rules/log-line.ts";
import type { AppLogs } from "../../edge/access-log/app-logs.ts";
import type { AppControl } from "../../apps/app-control.ts";
import type { AppTurns } from "../../apps/app-turns.ts";
import type { AppNotices } from "../../engine/logs/app-notices.ts";
import { inBatches, readNoticedLogs, type NoticedLogOptions } from "../../engine/logs/noticed-logs.ts";
import { requireHostNames, requireRoutedHosts } from "../../platform/hostname.ts";
import { isOfApp, type HeldLock, type LockRef } from "../../runner/deploy-lock.ts";
import type { FormerLogOf, FormerLogs } from "../../engine/logs/former-logs.ts";
import type { LogStore } from "../../log-store/log-store.ts";
import type { Journal } from "../../runner/journal.ts";
import type { DeployLock } from "../../runner/lock.ts";
import type { AppRef, ContainerState, Engine, LogLine, Proxy } from "../../ports.ts";
import type { Probations } from "../../probation/probations.ts";
import type { AppHealth } from "../../host/app-health.ts";
import type { Changes } from "../../platform/changes.ts";
import { lockMessage, type StatusCollector } from "../../host/collector.ts";
import { watchStatus } from "../../host/watch.ts";
import type { SourcePlanner } from "../../source/source-planner.ts";
import type { StepRunner } from "../../runner/step-runner.ts";
import type { SampleHistory } from "../../samples/sample-history.ts";
import { inMessages } from "./batches.ts";
import { carryCalls, type CarryParts } from "./carry-calls.ts";
import { peerKey } from "./peer.ts";
import { planMessage } from "./plan-message.ts";
import { FollowedLogs } from "./followed-logs.ts";
import { lineMessage } from "./line-message.ts";
import {
  toAppRef,
  toCertificatePolicy,
  toFormerLogOf,
  toId,
  toLockRef,
  toLockScope,
  toMove,
  toRunRequest,
  toStepName,
  toWithin,
} from "./requests.ts";
import { searchLogs } from "./search-logs.ts";
import { upgradeCall, type UpgradeParts } from "./upgrade-call.ts";

export interface AgentServiceOptions extends CarryParts, UpgradeParts {
  lock: DeployLock;
  journal: Journal;
  runner: StepRunner;
  engine: Engine;
  proxy: Proxy;
  status: StatusCollector;
  health: AppHealth;
  changes: Changes;
  appControl: AppControl;
  turns: AppTurns;
  probations: Probations;
  /** Begins to remove what a successful deploy has replaced, and returns at once. */
  retire: (app: AppRef, keptDeployIds: readonly string[]) => void;
  accessLogs: AppLogs;
  samples: SampleHistory;
  notices: AppNotices;
  formerLogs: FormerLogs;
  planner: SourcePlanner;
  logStore: LogStore;
  /** Removes what is known of the requests of an app that was purged, what its containers wrote, and what has happened to it. */
  forget: (app: AppRef) => Promise<void>;
  /** Begins to end all that the host runs for the fleet; resolves when that will be done, whatever happens to the agent. */
  leaveFleet: (reason: string) => Promise<void>;
  /** Aborts when the agent stops: ends what would otherwise never end. */
  stopping: AbortSignal;
}

/** The wire's side of the agent: validates, calls, answers. The contract is proto/README.md. */
export function agentService(options: AgentServiceOptions): ServiceImpl<typeof AgentService> {
  const { lock, journal, runner, status, appControl, turns, probations } = options;

  const describe = (held: HeldLock): Lock => lockMessage(held, runner.stepOf(held.holder.deployId));
  const untilEnd = ({ signal }: HandlerContext): AbortSignal => AbortSignal.any([signal, options.stopping]);

  const followed = new FollowedLogs();

  type Action = (app: AppRef, superseded: AbortSignal) => Promise<void>;
  const act = (app: AppRef, caller: AbortSignal, action: Action, move?: LockRef): Promise<object> =>
    turns.take(app.id, async (superseded) => {
      caller.throwIfAborted();
      if (move) lock.requireFreeFor(move, app.id);
      else lock.requireFree(app.id);
      await probations.end(app);
      await options.health.during(app.id, () => action(app, superseded));
      return {};
    });

  return {
    async getStatus() {
      return { status: await status.collect() };
    },

    async *watchStatus({ intervalSeconds }, ctx) {
      const intervalMs = toWithin("interval_seconds", intervalSeconds, { min: 1, max: 300 }) * 1000;
      if (ctx.values.get(peerKey)?.role === "control-plane") options.onWatched();
      for await (const each of watchStatus(status, options.changes, intervalMs, untilEnd(ctx))) yield { status: each };
    },

    async *watchMetrics({ after }, ctx) {
      const from = after && timestampMs(after) / 1000;
      for await (const windows of options.samples.watch(from, untilEnd(ctx))) yield { windows };
    },

    async takeLock(request) {
      const seconds = toWithin("lease_seconds", request.leaseSeconds, LEASE_SECONDS);
      const held = await lock.take(toLockRef(request.lock), toLockScope(request), seconds, async (former) => {
        await runner.cancel(former);
        runner.forget(former);
        await journal.forgetSecrets(former);
      });
      return { lock: describe(held) };
    },

    async renewLock(request) {
      const seconds = toWithin("lease_seconds", request.leaseSeconds, LEASE_SECONDS);
      return { lock: describe(await lock.renew(toLockRef(request.lock), seconds)) };
    },

    async releaseLock(request) {
      const [ref, app] = [toLockRef(request.lock), toAppRef(request.app)];
      const keptDeployIds = request.keptDeployIds.map((id) => toId("kept_deploy_ids", id));
      const running = runner.stepOf(ref.deployId);
      if (running !== undefined) {
        const advice = "wait for its result or cancel the deploy first";
        throw new SvcError("deploy_in_progress", `Deploy ${ref.deployId} still runs ${running}; ${advice}.`);
      }
      const freed = await lock.unlock(ref);
      runner.forget(ref.deployId);
      // Also when it was freed by another way, or this call was answered by a connection that broke.
      await journal.forgetSecrets(ref.deployId);
      if (freed && request.succeeded) options.retire(app, keptDeployIds);
      return {};
    },

    async *runStep(request, { signal }) {
      const run = toRunRequest(request);
      lock.requireHolder(run.lock);
      // Two containers of an app at a time are enough: the one before the last makes way.
      if (run.work.step === "deploy_container") await probations.end(run.app);
      const journaled = await runner.run(run);
      for await (const events of journaled.events(request.afterEvent, signal)) {
        for (const message of inMessages(events)) yield { events: message };
      }
    },

    async cancelDeploy(request) {
      const ref = toLockRef(request.lock);
      lock.requireNotStale(ref);
      return { canceled: await runner.cancel(ref.deployId) };
    },

    async undoStep(request, { signal }) {
      const deployId = toId("deploy_id", request.deployId);
      const [step, app] = [toStepName(request.step), toAppRef(request.app)];
      await runner.undo(step, deployId, app, signal);
      // Runs after its routes are back: the container that they lead to is not one that was replaced.
      if (step === "proxy_route") await probations.end(app);
      return {};
    },

    startApp: (request, { signal }) => act(toAppRef(request.app), signal, appControl.start, toMove(request.lock)),

    stopApp: (request, { signal }) => {
      const move = toMove(request.lock);
      return act(toAppRef(request.app), signal, move ? appControl.quiesce : appControl.stop, move);
    },

    restartApp: (request, { signal }) => act(toAppRef(request.app), signal, appControl.restart),

    async setAppHosts(request, { signal }) {
      const [app, hosts] = [toAppRef(request.app), requireRoutedHosts(request)];
      const { undeployed, release, stopped } = request;
      if (undeployed) await appControl.setHostsOfUndeployed(app, hosts, signal);
      else await appControl.setHosts(app, hosts, release === "" ? undefined : { name: release, isStopped: stopped });
      return {};
    },

    async setCertificatePolicy(request) {
      await options.proxy.setCertificatePolicy(toCertificatePolicy(request.policy));
      return {};
    },

    async getCertificate(request) {
      const [host] = requireHostNames([request.host]);
      const { notAfter, failure, usedUp, nextOrderAt } = await options.proxy.certificate(host!);
      return {
        ...(notAfter && { notAfter: timestampFromDate(notAfter) }),
        failure,
        usedUp,
        ...(nextOrderAt && { nextOrderAt: timestampFromDate(nextOrderAt) }),
      };
    },

    async removeApp(request) {
      const [app, move] = [toAppRef(request.app), toMove(request.lock)];
      await turns.take(app.id, async () => {
        if (move) lock.requireFreeFor(move, app.id);
        else requireNoDeployOf(app, options);
        await probations.end(app);
        await appControl.remove(app, request.purge, move !== undefined);
      });
      if (request.purge) await options.forget(app);
      return {};
    },

    async planSource({ planId, source }, { signal }) {
      if (!source) throw new SvcError("invalid_request", "The agent refused the call: source is missing.");
      return planMessage(await options.planner.plan(toId("plan_id", planId), source, signal));
    },

    async confirmTakenBack(request) {
      await probations.confirm(toId("deploy_id", request.deployId));
      return {};
    },

    ...carryCalls(options),
    ...upgradeCall(options),

    async leaveFleet({ reason }) {
      await options.leaveFleet(reason);
      return {};
    },

    searchLogs: (request, ctx) => searchLogs(request, options, untilEnd(ctx)),

    async *streamLogs(request, ctx) {
      const { follow } = request;
      const app = toAppRef(request.app);
      const lines = toWithin("lines", request.lines, { min: 1, max: 500 });
      const of = toFormerLogOf(request);
      if (of) {
        const { signal } = ctx;
        for await (const batch of logOf(app, of, { lines: lines + LINES_BEFORE, follow, signal }, options))
          yield { lines: batch.map(lineMessage) };
        return;
      }
      const leave = follow ? followed.take(app, request.source) : () => undefined;
      try {
        const container = await containerOf(app, options);
        const signal = untilEnd(ctx);
        if (request.source === LogSource.ACCESS) {
          for await (const batch of options.accessLogs.read(app.id, { lines, follow, signal })) {
            yield { lines: batch.lines.map(lineMessage), dropped: BigInt(batch.dropped) };
          }
          return;
        }
        for await (const batch of readNoticedLogs(options, container, {
          lines: lines + LINES_BEFORE,
          follow,
          signal,
        })) {
          yield { lines: batch.map(lineMessage) };
        }
      } finally {
        leave();
      }
    },
  };
}

/**
 * A deploy that goes on would bring back what is removed.
 * @throws SvcError deploy_in_progress
 */
function requireNoDeployOf(app: AppRef, { lock, runner }: AgentServiceOptions): void {
  if (!lock.held().some((held) => isOfApp(held, app.id)) && !runner.worksOn(app.id)) return;
  throw new SvcError("deploy_in_progress", `A deploy of ${app.name} goes on; wait for its end or cancel it first.`);
}

/** The container that serves the app; before its first switch, and after its removal, the newest one. */
async function containerOf(app: AppRef, ports: { engine: Engine; proxy: Proxy }): Promise<ContainerState> {
  const containers = await ports.engine.list({ appId: app.id, role: "app" });
  const routed = new Set((await ports.proxy.routes()).map(({ containerId }) => containerId));
  const newestFirst = containers.toSorted((a, b) => startedAt(b) - startedAt(a));
  const container = newestFirst.find(({ id }) => routed.has(id)) ?? newestFirst[0];
  if (container) return container;
  throw new SvcError("not_found", `The app ${app.name} has no container on this server; deploy it first.`);
}

/** The log of a container that is there or was removed lately. @throws SvcError not_found */
async function* logOf(
  app: AppRef,
  of: FormerLogOf,
  options: NoticedLogOptions,
  parts: Pick<AgentServiceOptions, "engine" | "notices" | "formerLogs">,
): AsyncGenerator<LogLine[]> {
  const containers = await parts.engine.list({ appId: app.id, role: "app" });
  const isWanted = ({ deployId, release }: ContainerState): boolean =>
    "deployId" in of ? deployId === of.deployId : release === of.release;
  const container = containers.find(isWanted);
  if (container) return yield* readNoticedLogs(parts, container, options);
  const former = await parts.formerLogs.read(app.id, of, options.lines);
  if (!former) throw new SvcError("not_found", `No log of such a container of ${app.name} is kept on this server.`);
  yield* inBatches(former);
}

function startedAt(container: ContainerState): number {
  return container.startedAt?.getTime() ?? 0;
}
