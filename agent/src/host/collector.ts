import { totalmem } from "node:os";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Clock } from "@svc/shared/platform/clock.ts";
import {
  AgentErrorSchema,
  Health,
  LockSchema,
  StatusSchema,
  Step,
  StopReason,
  TakenBackReason,
  TakenBackSchema,
  type Lock,
  type RunningAppSchema,
  type Status,
  type StoppedAppSchema,
  type TakenBack as TakenBackMessage,
  UnhealthyReason,
} from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import type { UnhealthyReason as Reason } from "../engine/containers/app-health.ts";
import { isUp } from "../engine/containers/container-state.ts";
import type { HeldLock } from "../runner/deploy-lock.ts";
import { promisableBytes, promisedByApp, sumOf } from "../bounds/memory-sum.ts";
import type { FailureReason, TakenBack } from "../probation/probation.ts";
import { leadsToContainer, upstreamsOf } from "../edge/routes.ts";
import { stepOf } from "@svc/shared/rules/step-on-wire.ts";
import type { StepName } from "@svc/shared/rules/steps.ts";
import type { ContainerState, Engine, Host, Proxy, Route } from "../ports.ts";
import type { AppHealth } from "./app-health.ts";
import type { LastErrors } from "./last-errors.ts";
import type { UpstreamStates } from "../edge/upstream-states.ts";

/** However many watch, the host is looked at once in this time. */
export const FRESH_MS = 1000;

interface Options {
  version: string;
  engine: Engine;
  proxy: Proxy;
  host: Host;
  dataDirectory: string;
  clock: Clock;
  lastErrors: LastErrors;
  health: AppHealth;
  upstreams: UpstreamStates;
  heldLocks: () => readonly HeldLock[];
  runningStep: (deployId: string) => StepName | undefined;
  /** The memory of the machines that run apps, in bytes; the host's unless given. */
  appMemoryBytes?: (() => Promise<number>) | undefined;
  /** Deploys that were taken back, which the control plane has not confirmed. */
  takenBack?: () => readonly TakenBack[];
}

/** Looks at the host. What can't be reached is reported as such: a status is always given. */
export class StatusCollector {
  readonly #options: Options;
  readonly #startedAt: Date;
  #latest: { at: number; status: Promise<Status> } | undefined;
  /** The containers as the engine listed them when it answered last. */
  #containers: readonly ContainerState[] = [];

  constructor(options: Options) {
    this.#options = options;
    this.#startedAt = options.clock.now();
  }

  /** Returns a status at most FRESH_MS old; what is the agent's own is as of now. */
  async collect(): Promise<Status> {
    const now = this.#options.clock.now().getTime();
    if (!this.#latest || now - this.#latest.at >= FRESH_MS) this.#latest = { at: now, status: this.#observe() };
    const status = await this.#latest.status;
    return { ...status, ...this.#own() };
  }

  async #observe(): Promise<Status> {
    const { version, engine, proxy, host, dataDirectory, clock, appMemoryBytes } = this.#options;
    const now = clock.now();
    const [described, edge, cpu, memory, listed, routes, appMemory] = await Promise.all([
      engine.describe().catch(() => undefined),
      proxy.describe().catch(() => undefined),
      host.cpu().catch(() => ({ cores: 0, usedRatio: 0, load1m: 0 })),
      host.memory().catch(() => ({ totalBytes: totalmem(), availableBytes: 0 })),
      engine.list({}).catch(() => undefined),
      proxy.routes().catch(() => undefined),
      appMemoryBytes?.().catch(() => undefined),
    ]);
    this.#containers = listed ?? this.#containers;
    const disks = [
      await this.#disk("data", dataDirectory),
      described && (await this.#disk("engine", described.dataDirectory)),
    ];
    return create(StatusSchema, {
      agentVersion: version,
      startedAt: timestampFromDate(this.#startedAt),
      observedAt: timestampFromDate(now),
      uptimeSeconds: BigInt(Math.round((now.getTime() - this.#startedAt.getTime()) / 1000)),
      engine: {
        reachable: !!described,
        version: described?.version ?? "",
        apiVersion: described?.apiVersion ?? "",
        machines: (described?.machines ?? []).map(({ name, isReady }) => ({ name, ready: isReady })),
      },
      proxy: {
        reachable: edge?.reachable ?? false,
        version: edge?.version ?? "",
        internalCaPem: edge?.internalCaPem ?? "",
      },
      cpu: { cores: cpu.cores, usedRatio: cpu.usedRatio, load1m: cpu.load1m },
      memory: {
        totalBytes: bytes(memory.totalBytes),
        availableBytes: bytes(memory.availableBytes),
        promisedBytes: bytes(sumOf(promisedByApp(this.#containers))),
        promisableBytes: bytes(promisableBytes(appMemory ?? memory.totalBytes)),
      },
      disks: disks.filter((disk) => disk !== undefined),
      apps: await this.#apps(routes, listed !== undefined),
      stoppedApps: stoppedApps(routes ?? []),
      ownerStoppedAppIds: listed && routes ? ownerStoppedAppIds(routes, listed) : [],
    });
  }

  #own(): Pick<Status, "lock" | "rollbacks" | "lastErrors" | "takenBack"> {
    const { heldLocks, runningStep, lastErrors, takenBack = () => [] } = this.#options;
    const locks = Map.groupBy(heldLocks(), ({ isRollback }) => (isRollback ? "rollbacks" : "deploy"));
    const describe = (held: HeldLock): Lock => lockMessage(held, runningStep(held.holder.deployId));
    return {
      lock: locks.get("deploy")?.map(describe)[0],
      rollbacks: (locks.get("rollbacks") ?? []).map(describe),
      takenBack: takenBack().map(takenBackMessage),
      lastErrors: lastErrors
        .list()
        .map(({ time, code, message }) => create(AgentErrorSchema, { time: timestampFromDate(time), code, message })),
    };
  }

  async #disk(purpose: string, path: string) {
    try {
      const disk = await this.#options.host.disk(path);
      return {
        purpose,
        totalBytes: bytes(disk.totalBytes),
        availableBytes: bytes(disk.availableBytes),
        inodesTotal: bytes(disk.inodesTotal),
        inodesAvailable: bytes(disk.inodesAvailable),
      };
    } catch {
      return undefined;
    }
  }

  /** Routes are undefined when the proxy's table can't be read: then nothing is known of any app. */
  async #apps(routes: readonly Route[] | undefined, isEngineThere: boolean): Promise<RunningAppInit[]> {
    if (!routes) return [];
    this.#options.health.keepOnly(new Set(routes.map(({ appId }) => appId)));
    const byContainer = new Map(routes.map((route) => [route.containerId, route]));
    const known = new Map(this.#containers.map((container) => [container.id, container]));
    const shown = [...byContainer].filter(([id, route]) => known.has(id) || leadsToContainer(route));
    const apps = await Promise.all(shown.map(([id, route]) => this.#app(route, known.get(id), isEngineThere)));
    return apps.toSorted((a, b) => a.app.name.localeCompare(b.app.name));
  }

  async #app(route: Route, container: ContainerState | undefined, isEngineThere: boolean) {
    const state = container ? container.state : "gone";
    const verdict = leadsToContainer(route) ? await this.#judge(route, container, isEngineThere) : undefined;
    const isServing = route.state === "serving" && verdict !== undefined && verdict.reason === undefined;
    return {
      app: { id: route.appId, name: container?.appName ?? this.#options.health.nameOf(route.appId) },
      deployId: container?.deployId ?? "",
      release: container?.release ?? "",
      containerId: route.containerId,
      imageDigest: container?.imageDigest ?? "",
      state: isEngineThere ? state : "unknown",
      health: isServing ? Health.SERVING : Health.NOT_SERVING,
      startedAt: container?.startedAt && timestampFromDate(container.startedAt),
      upstream: route.upstream,
      reason: verdict?.reason === undefined ? UnhealthyReason.UNSPECIFIED : REASONS[verdict.reason],
      restartCount: container?.restartCount ?? 0,
      since: verdict && timestampFromDate(new Date(verdict.since)),
      ...(container?.copies && this.#copiesOf(route, container.copies)),
    };
  }

  /** A copy gets requests, as far as it accepts connections. */
  #copiesOf({ appId, copies: serving = [] }: Route, { wanted, now }: NonNullable<ContainerState["copies"]>) {
    const isServing = new Set(serving.map(({ id }) => id));
    const database = this.#containers.find((each) => each.appId === appId && each.role === "database");
    return {
      copies: now.map(({ id, node }) => ({ machine: node, serving: isServing.has(id) })),
      copiesWanted: wanted,
      databaseMachine: database?.machine ?? "",
    };
  }

  async #judge(route: Route, container: ContainerState | undefined, isEngineThere: boolean) {
    const { appId, containerId } = route;
    const { health, upstreams } = this.#options;
    const state = isEngineThere ? (container?.state ?? "gone") : undefined;
    const isAsked = state === undefined || state === "running";
    return health.look(appId, container?.appName, {
      containerId,
      state,
      startedAt: container?.startedAt?.getTime(),
      restartCount: container?.restartCount ?? 0,
      refusingSince: isAsked ? await upstreams.allFailingSince(upstreamsOf(route)) : undefined,
    });
  }
}

type RunningAppInit = MessageInitShape<typeof RunningAppSchema>;

const REASONS: Readonly<Record<Reason, UnhealthyReason>> = {
  crash_loop: UnhealthyReason.CRASH_LOOP,
  out_of_memory: UnhealthyReason.OUT_OF_MEMORY,
  not_listening: UnhealthyReason.NOT_LISTENING,
  gone: UnhealthyReason.GONE,
};

/** Lists the apps that the agent itself has stopped, each once. */
function stoppedApps(routes: readonly Route[]): MessageInitShape<typeof StoppedAppSchema>[] {
  const stops = new Map(routes.flatMap(({ appId, stoppedBy }) => (stoppedBy ? [[appId, stoppedBy] as const] : [])));
  return [...stops].map(([appId, { detail, at }]) => ({
    appId,
    reason: StopReason.DISK_LIMIT,
    detail,
    at: timestampFromDate(new Date(at)),
  }));
}

/** One whose container still runs is not stopped yet. */
function ownerStoppedAppIds(routes: readonly Route[], containers: readonly ContainerState[]): string[] {
  const up = new Set(containers.filter(({ state }) => isUp(state)).map(({ id }) => id));
  const stopped = routes.filter(({ state, stoppedBy }) => state === "stopped" && !stoppedBy);
  return [...new Set(stopped.filter(({ containerId }) => !up.has(containerId)).map(({ appId }) => appId))];
}

const TAKEN_BACK_REASONS: Readonly<Record<FailureReason, TakenBackReason>> = {
  exited: TakenBackReason.EXITED,
  out_of_memory: TakenBackReason.OUT_OF_MEMORY,
  not_answering: TakenBackReason.NOT_ANSWERING,
};

function takenBackMessage(taken: TakenBack): TakenBackMessage {
  const { app, deployId, servedDeployId, reason, exitCode, detail, lastLines, at } = taken;
  return create(TakenBackSchema, {
    app,
    deployId,
    servedDeployId,
    reason: TAKEN_BACK_REASONS[reason],
    detail,
    ...(exitCode !== undefined && { exitCode }),
    lastLines: [...lastLines],
    at: timestampFromDate(new Date(at)),
  });
}

export function lockMessage(held: HeldLock, step: StepName | undefined): Lock {
  return create(LockSchema, {
    holder: held.holder,
    takenAt: timestampFromDate(held.takenAt),
    leaseUntil: timestampFromDate(held.leaseUntil),
    step: step ? stepOf(step) : Step.UNSPECIFIED,
  });
}

function bytes(value: number): bigint {
  return BigInt(Math.max(0, Math.round(value)));
}
