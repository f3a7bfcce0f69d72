import { SvcError } from "@svc/shared/errors.ts";
import { systemClock } from "@svc/shared/platform/clock.ts";
import type { ContainerEvent, ContainerFilter, ContainerSpec, ContainerState, LogLine } from "../../ports.ts";
import { merge } from "../../platform/merge.ts";
import { createSerializer } from "../../platform/serialize.ts";
import { ASK_MS_MAX, CHANGE_MS_MAX, RUN_MS_MAX, within } from "../../platform/within.ts";
import { splitVariable } from "../containers/environment.ts";
import { DEFAULT_DISK_LIMITS } from "../disk-limits.ts";
import { createDockerEngine, type DockerEngineOptions, type HostEngine } from "../engine.ts";
import { translateEngineError, unless } from "../errors.ts";
import { createClusterParts } from "./cluster-parts.ts";
import { createClusterRegistry, type RegistrySettings } from "./cluster-registry.ts";
import type { SwarmContext } from "./context.ts";
import { placesOfServices, refusalsOfServices, serviceByContainer, usageOfServices } from "./local-copies.ts";
import { listNodes, nameOf, requireManager, takesWork } from "./manager.ts";
import { ensureOverlay, findOverlay, removeOverlay } from "./overlay-network.ts";
import { runService, untilStarted } from "./run-service.ts";
import { readServiceLogs } from "./service-logs.ts";
import { LABEL_COPIES, LABEL_IMAGE, LABEL_KEPT, unescapeTemplates } from "./service-spec.ts";
import { copiesWanted, hasEnded, isOver, isStopped, toState } from "./service-state.ts";
import { changeService, listServices, readService, requireService, withCopies, type OwnService } from "./services.ts";
import { ServiceWatch } from "./service-watch.ts";

/** A container of this machine's engine has such an id; ids of services are shorter. */
const LOCAL_ID = /^[0-9a-f]{64}$/;
const POLL_MS = 100;

export interface SwarmEngineOptions extends DockerEngineOptions {
  /** Undefined: the agent runs one in the cluster. */
  registry?: RegistrySettings | undefined;
}

export interface SwarmEngine extends HostEngine {
  /** The memory of all machines that take work. Bytes. */
  memoryBytes(): Promise<number>;
}

/**
 * A Docker Swarm as the Engine port (decision 039), driven from a manager. A release of an app is a service, whose copies the
 * cluster places. A database is a container of this machine's engine, where its volume is, on the app's network.
 */
export function createSwarmEngine(options: SwarmEngineOptions): SwarmEngine {
  const local = createDockerEngine(options);
  const ctx = contextOf(options);
  const watch = new ServiceWatch(ctx);
  let known: Promise<unknown> | undefined;

  /** Agrees with the engine on a version of its API, and finds that it is a manager. */
  function ready(): Promise<unknown> {
    known ??= local.describe().then(() => requireManager(ctx));
    known.catch(() => (known = undefined));
    return known;
  }

  async function ask<T>(work: () => Promise<T>, msMax = ASK_MS_MAX): Promise<T> {
    try {
      await ready();
      return await within(msMax, work());
    } catch (error) {
      throw translateEngineError(error);
    }
  }

  const change = <T>(work: () => Promise<T>): Promise<T> => ask(work, CHANGE_MS_MAX);

  async function* streamed<T>(open: () => AsyncGenerator<T>): AsyncGenerator<T> {
    try {
      yield* open();
    } catch (error) {
      throw translateEngineError(error);
    }
  }

  async function toStates(services: readonly OwnService[]): Promise<ContainerState[]> {
    if (services.length === 0) return [];
    const nodes = new Map((await listNodes(ctx)).map((node) => [node.ID, nameOf(node)]));
    const containers = services.some(({ tasks }) => tasks.some(hasEnded)) ? await local.list({ role: "app" }) : [];
    const outOfMemory = new Set(containers.filter((each) => each.outOfMemory).map(({ id }) => id));
    return services.map((own) => toState(own, { nodes, outOfMemory, ends: watch.endsOf(own) }));
  }

  async function list(filter: ContainerFilter): Promise<ContainerState[]> {
    const [databases, services] = await Promise.all([
      filter.role === "app" ? [] : local.list({ ...filter, role: "database" }),
      filter.role === "database" ? [] : listServices(ctx, { ...filter, role: "app" }),
    ]);
    const newestFirst = services.toSorted((a, b) => (a.service.CreatedAt < b.service.CreatedAt ? 1 : -1));
    return [...(await toStates(newestFirst)), ...(await onThisMachine(databases))];
  }

  async function onThisMachine(databases: readonly ContainerState[]): Promise<ContainerState[]> {
    if (databases.length === 0) return [];
    const { NodeID: own } = await requireManager(ctx);
    const node = (await listNodes(ctx)).find(({ ID }) => ID === own);
    return databases.map((each) => ({ ...each, ...(node && { machine: nameOf(node) }) }));
  }

  async function run(spec: ContainerSpec, signal?: AbortSignal): Promise<ContainerState> {
    if (spec.role === "database") {
      await joinNetwork(spec);
      await ctx.parts.ensureGuard();
      return local.run(spec, signal);
    }
    const id = await runService(ctx, spec, signal);
    const [state] = await toStates([await requireService(ctx, id)]);
    return state!;
  }

  async function joinNetwork({ app }: Pick<ContainerSpec, "app">): Promise<void> {
    await ctx.parts.gateway.join(await ensureOverlay(ctx, app));
  }

  async function stopService(id: string): Promise<void> {
    await changeService(ctx, id, (spec) => withCopies(spec, 0));
    for (;;) {
      const [own, nodes] = [await readService(ctx, id), await listNodes(ctx)];
      const away = new Set(nodes.filter(({ Status }) => Status.State === "down").map(({ ID }) => ID));
      if (own === undefined || own.tasks.every((task) => isOver(task) || away.has(task.NodeID ?? ""))) return;
      await systemClock.sleep(POLL_MS);
    }
  }

  async function startService(id: string): Promise<void> {
    const own = await requireService(ctx, id);
    watch.started(id);
    await changeService(ctx, id, (spec) => withCopies(spec, copiesWanted(own)));
    await untilStarted(ctx, id);
  }

  async function scaleService(id: string, copies: number): Promise<void> {
    const own = await requireService(ctx, id);
    const wanted = { [LABEL_COPIES]: String(copies) };
    await changeService(ctx, id, (spec) => {
      const labelled = { ...spec, Labels: { ...spec.Labels, ...wanted } };
      return isStopped(own) ? labelled : withCopies(labelled, copies);
    });
    await untilStarted(ctx, id);
  }

  async function removeImages(appId: string, deployId: string): Promise<void> {
    const images = new Set(
      (await local.images(appId)).filter((each) => each.deployId === deployId).map((it) => it.digest),
    );
    const services = await listServices(ctx, { appId });
    if (services.some(({ service }) => images.has(service.Spec.Labels?.[LABEL_IMAGE] ?? ""))) return;
    await local.removeImages(appId, deployId);
  }

  /** What this machine's engine tells of copies is told of their service; its starts and ends come from the cluster. */
  async function* localEvents(from: { since: Date; signal: AbortSignal }): AsyncGenerator<ContainerEvent> {
    for await (const event of local.containerEvents(from)) {
      if (event.role === "database") yield event;
      else if (event.kind === "out_of_memory") {
        const own = serviceByContainer(await listServices(ctx, { appId: event.appId })).get(event.containerId);
        if (own) yield { ...event, containerId: own.id };
      }
    }
  }

  async function* containerEvents({
    since,
    signal,
  }: {
    since: Date;
    signal: AbortSignal;
  }): AsyncGenerator<ContainerEvent> {
    await ask(() => Promise.resolve());
    const stop = new AbortController();
    const from = { since, signal: AbortSignal.any([signal, stop.signal]) };
    yield* merge([localEvents(from), watch.read(from)], stop);
  }

  /** @throws SvcError not_found, invalid_request */
  async function requireLocal(id: string): Promise<void> {
    if (LOCAL_ID.test(id)) return;
    await ask(() => requireService(ctx, id));
    throw new SvcError("invalid_request", "In a cluster only the container of a database can be entered.");
  }

  async function* localStream<T>(id: string, open: () => AsyncIterable<T>): AsyncGenerator<T> {
    await requireLocal(id);
    yield* open();
  }

  async function* serviceLines(id: string, from: Parameters<typeof readServiceLogs>[2]) {
    await ask(() => requireService(ctx, id));
    yield* streamed(() => readServiceLogs(ctx, id, from));
  }

  async function* serviceLogs(id: string, from: Parameters<typeof readServiceLogs>[2]): AsyncGenerator<LogLine[]> {
    for await (const lines of serviceLines(id, from))
      yield lines.map(({ time, output, text }) => ({ time, output, text }));
  }

  const apps = (): Promise<OwnService[]> => listServices(ctx, { role: "app" });

  return {
    // The rest, builds and images among it, is this machine's engine's own.
    ...local,
    ensureNetwork: (app) => change(() => joinNetwork({ app })),
    removeNetwork: (app) =>
      change(async () => {
        const id = await findOverlay(ctx, app.id);
        if (id === undefined) return;
        await ctx.parts.gateway.leave(id);
        await removeOverlay(ctx, id, (ms) => systemClock.sleep(ms));
      }),
    removeImages: (appId, deployId) => change(() => removeImages(appId, deployId)),
    run: (spec, signal) => ask(() => run(spec, signal), RUN_MS_MAX),
    keepRunning: (id) => {
      if (LOCAL_ID.test(id)) return local.keepRunning(id);
      return change(async () => {
        await requireService(ctx, id);
        await changeService(ctx, id, (spec) => ({ ...spec, Labels: { ...spec.Labels, [LABEL_KEPT]: "1" } }));
      });
    },
    scale: (id, copies) => {
      if (LOCAL_ID.test(id)) return local.scale(id, copies);
      return change(() => scaleService(id, copies));
    },
    describe: () =>
      ask(async () => ({
        ...(await local.describe()),
        machines: (await listNodes(ctx)).map((node) => ({
          name: nameOf(node),
          isReady: node.Status.State === "ready",
        })),
      })),
    listeningSockets: async (id) => {
      if (LOCAL_ID.test(id)) return local.listeningSockets(id);
      await ask(() => requireService(ctx, id));
      return undefined;
    },
    list: (filter) => ask(() => list(filter)),
    start: (id) => (LOCAL_ID.test(id) ? local.start(id) : change(() => startService(id))),
    stop: (id, graceSeconds) => (LOCAL_ID.test(id) ? local.stop(id, graceSeconds) : change(() => stopService(id))),
    remove: (id) => {
      if (LOCAL_ID.test(id)) return local.remove(id);
      return change(async () => {
        if (await readService(ctx, id)) await unless([404], ctx.docker.getService(id).remove());
      });
    },
    logs: (id, from) => (LOCAL_ID.test(id) ? local.logs(id, from) : serviceLogs(id, from)),
    linesSince: (id, { since, ...from }) => {
      if (LOCAL_ID.test(id)) return local.linesSince(id, { since, ...from });
      return serviceLines(id, { ...from, follow: false, ...(since !== undefined && { since }) });
    },
    environment: (id) => {
      if (LOCAL_ID.test(id)) return local.environment(id);
      return ask(async () => {
        const { service } = await requireService(ctx, id);
        const env = (service.Spec.TaskTemplate as { ContainerSpec?: { Env?: string[] } }).ContainerSpec?.Env ?? [];
        return Object.fromEntries(env.map(splitVariable).map(([name, value]) => [name, unescapeTemplates(value)]));
      });
    },
    exec: async (id, argv, stdin) => {
      await requireLocal(id);
      return local.exec(id, argv, stdin);
    },
    execStream: (id, argv) => localStream(id, () => local.execStream(id, argv)),
    archive: (id, path) => localStream(id, () => local.archive(id, path)),
    containerEvents: (from) => streamed(() => containerEvents(from)),
    processRefusals: () =>
      ask(async () => refusalsOfServices(serviceByContainer(await apps()), await local.processRefusals())),
    usage: () =>
      ask(async () => {
        const used = await local.usage();
        return [...usageOfServices(await apps(), used), ...used.filter(({ role }) => role === "database")];
      }),
    storage: () => ask(async () => placesOfServices(serviceByContainer(await apps()), await local.storage())),
    memoryBytes: () =>
      ask(async () => {
        const sizes = (await listNodes(ctx))
          .filter(takesWork)
          .map((node) => node.Description?.Resources?.MemoryBytes ?? 0);
        return sizes.reduce((sum, bytes) => sum + bytes, 0);
      }),
    keepAppsApart: async (signal, onFailure) => {
      await Promise.all([local.keepAppsApart(signal, onFailure), ctx.parts.keep(signal, onFailure)]);
    },
  };
}

function contextOf(options: SwarmEngineOptions): SwarmContext {
  const { docker, serverId, addressBlock, names, log, isIsolationRequired = true } = options;
  const ctx = {
    docker,
    serverId,
    addressBlock,
    names,
    resolveImage: options.resolveImage ?? ((name: string) => name),
    serialize: createSerializer(),
    layer: { bytesMax: options.layerBytesMax ?? DEFAULT_DISK_LIMITS.appBytes, isEnforceable: true },
    // This machine's engine sets its own.
    ensureRoutingRules: () => Promise.resolve(),
    log,
  };
  const registry = createClusterRegistry(ctx, options.registry);
  const parts = createClusterParts(ctx, { registry, isIsolationRequired });
  return { ...ctx, registry, parts };
}
