import { totalmem } from "node:os";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Clock } from "@svc/shared/clock.ts";
import {
  AgentErrorSchema,
  Health,
  LockSchema,
  StatusSchema,
  Step,
  StopReason,
  type Lock,
  type RunningAppSchema,
  type Status,
  type StoppedAppSchema,
} from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import type { HeldLock } from "../domain/lock.ts";
import { promisableBytes, promisedByApp, sumOf } from "../domain/memory-promise.ts";
import { stepOf, type StepName } from "../domain/step-name.ts";
import type { ContainerState, Engine, Host, Proxy, Route } from "../ports.ts";
import type { LastErrors } from "./last-errors.ts";
import { acceptsConnection } from "./upstream-probe.ts";

/** However many watch, the host is looked at once in this time. */
const FRESH_MS = 1000;

/** An upstream is asked for a connection this often at most: an app may log each. */
const PROBE_FRESH_MS = 10_000;

interface Options {
  version: string;
  engine: Engine;
  proxy: Proxy;
  host: Host;
  dataDirectory: string;
  clock: Clock;
  lastErrors: LastErrors;
  heldLocks: () => readonly HeldLock[];
  runningStep: (deployId: string) => StepName | undefined;
}

/** Looks at the host. What can't be reached is reported as such: a status is always given. */
export class StatusCollector {
  readonly #options: Options;
  readonly #startedAt: Date;
  #latest: { at: number; status: Promise<Status> } | undefined;
  readonly #probes = new Map<string, { at: number; accepted: boolean }>();

  constructor(options: Options) {
    this.#options = options;
    this.#startedAt = options.clock.now();
  }

  /** At most FRESH_MS old, except for lock and errors, which are as of now. */
  async collect(): Promise<Status> {
    const now = this.#options.clock.now().getTime();
    if (!this.#latest || now - this.#latest.at >= FRESH_MS) this.#latest = { at: now, status: this.#observe() };
    const status = await this.#latest.status;
    return { ...status, ...this.#own() };
  }

  async #observe(): Promise<Status> {
    const { version, engine, proxy, host, dataDirectory, clock } = this.#options;
    const now = clock.now();
    const [described, edge, cpu, memory, containers, routes] = await Promise.all([
      engine.describe().catch(() => undefined),
      proxy.describe().catch(() => undefined),
      host.cpu().catch(() => ({ cores: 0, usedRatio: 0, load1m: 0 })),
      host.memory().catch(() => ({ totalBytes: totalmem(), availableBytes: 0 })),
      engine.list({}).catch(() => []),
      proxy.routes().catch(() => []),
    ]);
    const disks = [
      await this.#disk("data", dataDirectory),
      described && (await this.#disk("engine", described.dataDirectory)),
    ];
    return create(StatusSchema, {
      agentVersion: version,
      startedAt: timestampFromDate(this.#startedAt),
      observedAt: timestampFromDate(now),
      uptimeSeconds: BigInt(Math.round((now.getTime() - this.#startedAt.getTime()) / 1000)),
      engine: { reachable: !!described, version: described?.version ?? "", apiVersion: described?.apiVersion ?? "" },
      proxy: {
        reachable: edge?.reachable ?? false,
        version: edge?.version ?? "",
        internalCaPem: edge?.internalCaPem ?? "",
      },
      cpu: { cores: cpu.cores, usedRatio: cpu.usedRatio, load1m: cpu.load1m },
      memory: {
        totalBytes: bytes(memory.totalBytes),
        availableBytes: bytes(memory.availableBytes),
        promisedBytes: bytes(sumOf(promisedByApp(containers))),
        promisableBytes: bytes(promisableBytes(memory.totalBytes)),
      },
      disks: disks.filter((disk) => disk !== undefined),
      apps: await Promise.all(routedContainers(containers, routes).map((each) => this.#app(each))),
      stoppedApps: stoppedApps(routes),
    });
  }

  #own(): Pick<Status, "lock" | "rollbacks" | "lastErrors"> {
    const { heldLocks, runningStep, lastErrors } = this.#options;
    const locks = Map.groupBy(heldLocks(), ({ isRollback }) => (isRollback ? "rollbacks" : "deploy"));
    const describe = (held: HeldLock): Lock => lockMessage(held, runningStep(held.holder.deployId));
    return {
      lock: locks.get("deploy")?.map(describe)[0],
      rollbacks: (locks.get("rollbacks") ?? []).map(describe),
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

  async #app({ container, route }: RoutedContainer): Promise<MessageInitShape<typeof RunningAppSchema>> {
    const serving = route.state === "serving" && container.state === "running" && (await this.#accepts(route.upstream));
    return {
      app: { id: container.appId, name: container.appName },
      deployId: container.deployId ?? "",
      release: container.release ?? "",
      containerId: container.id,
      imageDigest: container.imageDigest,
      state: container.state,
      health: serving ? Health.SERVING : Health.NOT_SERVING,
      startedAt: container.startedAt && timestampFromDate(container.startedAt),
      upstream: route.upstream,
    };
  }

  async #accepts(upstream: string): Promise<boolean> {
    const now = this.#options.clock.now().getTime();
    const known = this.#probes.get(upstream);
    if (known && now - known.at < PROBE_FRESH_MS) return known.accepted;
    const accepted = await acceptsConnection(upstream);
    for (const [other, { at }] of this.#probes) if (now - at >= PROBE_FRESH_MS) this.#probes.delete(other);
    this.#probes.set(upstream, { at: now, accepted });
    return accepted;
  }
}

interface RoutedContainer {
  container: ContainerState;
  route: Route;
}

/** Each container that a route names, once, in the order of the apps' names. */
function routedContainers(containers: readonly ContainerState[], routes: readonly Route[]): RoutedContainer[] {
  return containers
    .flatMap((container) => {
      const route = routes.find(({ containerId }) => containerId === container.id);
      return route ? [{ container, route }] : [];
    })
    .toSorted((a, b) => a.container.appName.localeCompare(b.container.appName));
}

/** Those that the agent itself has stopped, each once. */
function stoppedApps(routes: readonly Route[]): MessageInitShape<typeof StoppedAppSchema>[] {
  const stops = new Map(routes.flatMap(({ appId, stoppedBy }) => (stoppedBy ? [[appId, stoppedBy] as const] : [])));
  return [...stops].map(([appId, { detail, at }]) => ({
    appId,
    reason: StopReason.DISK_LIMIT,
    detail,
    at: timestampFromDate(new Date(at)),
  }));
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
