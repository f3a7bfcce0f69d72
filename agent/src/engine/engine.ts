import type { SvcError } from "@svc/shared/errors.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import type Docker from "dockerode";
import type { Cidr } from "./network/address-block.ts";
import { DEFAULT_DISK_LIMITS } from "./disk-limits.ts";
import type { BuildRequest, Engine, LogLine } from "../ports.ts";
import { createSerializer } from "../platform/serialize.ts";
import { readArchive } from "./archive.ts";
import { negotiateApiVersion } from "./connection.ts";
import { readContainerEvents } from "./containers/container-events.ts";
import {
  listContainers,
  removeContainer,
  requireOwn,
  restartWhenItExits,
  startContainer,
  stopContainer,
} from "./containers/containers.ts";
import { readEnvironment } from "./containers/environment.ts";
import { createConnectionRate } from "./network/connection-rate.ts";
import type { DockerContext } from "./context.ts";
import { translateEngineError } from "./errors.ts";
import { execInContainer } from "./containers/exec.ts";
import { streamExec } from "./containers/exec-stream.ts";
import type { HostNames } from "./network/host-names.ts";
import { loadImage, saveImage } from "./image-archive.ts";
import { hideImageNames, listImages, removeImages, tagImage } from "./images.ts";
import { readListeningSockets } from "./network/listening-sockets.ts";
import { readLinesSince, readLogs } from "./logs/logs.ts";
import type { LogOptions } from "./logs/logs.ts";
import { ensureNetwork, removeNetwork } from "./network/networks.ts";
import { createRefusalReader } from "./containers/process-refusals.ts";
import { createRunningReader } from "./containers/running-containers.ts";
import { createUsageReader } from "./containers/container-usage.ts";
import { createRoutingRules } from "./network/routing-rules.ts";
import { makeFromArchive, runContainer } from "./containers/run-container.ts";
import { createStorageReader } from "./storage.ts";
import { listVolumes, removeVolumes } from "./volumes.ts";
import { ASK_MS_MAX, CHANGE_MS_MAX, RUN_MS_MAX, within } from "../platform/within.ts";

export interface DockerEngineOptions {
  docker: Docker;
  serverId: string;
  /** Apps' networks are cut from it. */
  addressBlock: Cidr;
  /** Whether deploys are refused where apps can't be kept apart (SVC_ISOLATION). */
  isIsolationRequired?: boolean;
  /** Official name of a base image → where this host gets it (SVC_BASE_IMAGES); the same by default. */
  resolveImage?: (officialName: string) => string;
  names: HostNames;
  build: Engine["build"];
  /** Bytes that a container's writable layer may take. */
  layerBytesMax?: number;
  log: Logger;
  /** How long an answer from the engine's memory may take, in milliseconds. */
  askMsMax?: number;
}

export interface HostEngine extends Engine {
  /**
   * Keeps apps from one another, whoever sets the host's network up anew; resolves when the signal aborts.
   * @param onFailure is told once when it can't, each time
   */
  keepAppsApart(signal: AbortSignal, onFailure: (error: SvcError) => void): Promise<void>;
  /** Takes names that can be guessed away from images of apps. Each build does the same first, so that a caller may ignore a failure. */
  hideImageNames(): Promise<void>;
}

/**
 * An engine that is asked for its version starts `runc` and two more to ask them for theirs. One that was upgraded did not answer
 * for a moment, or is asked again after this.
 */
const DESCRIBED_MS = 60_000;

/** Docker Engine 20.10 and newer as the Engine port. Every error that leaves is a SvcError. */
export function createDockerEngine(options: DockerEngineOptions): HostEngine {
  const routingRules = createRoutingRules({
    addressBlock: options.addressBlock,
    areRequired: options.isIsolationRequired ?? true,
    log: options.log,
  });
  const connectionRate = createConnectionRate(options);
  const ctx: DockerContext = {
    docker: options.docker,
    serverId: options.serverId,
    addressBlock: options.addressBlock,
    names: options.names,
    resolveImage: options.resolveImage ?? ((name) => name),
    // One agent drives an engine, so that its own order is all that choosing a free address needs.
    serialize: createSerializer(),
    layer: { bytesMax: options.layerBytesMax ?? DEFAULT_DISK_LIMITS.appBytes, isEnforceable: true },
    ensureRoutingRules: routingRules.ensure,
    log: options.log,
  };
  const readStorage = createStorageReader(ctx);
  const readRunning = createRunningReader(ctx);
  const readRefusals = createRefusalReader(readRunning);
  const readUsage = createUsageReader(readRunning);
  let negotiation: Promise<string> | undefined;

  /** The engine may be down when the agent starts, and be upgraded while it runs. */
  function negotiate(): Promise<string> {
    const attempt = negotiateApiVersion(ctx.docker);
    negotiation = attempt;
    attempt.catch(() => (negotiation = undefined));
    return attempt;
  }

  const { askMsMax = ASK_MS_MAX } = options;

  async function negotiated(): Promise<void> {
    try {
      await within(askMsMax, negotiation ?? negotiate());
    } catch (error) {
      negotiation = undefined;
      throw error;
    }
  }

  async function ask<T>(work: () => Promise<T>, msMax = askMsMax): Promise<T> {
    try {
      await negotiated();
      return await within(msMax, work());
    } catch (error) {
      throw translateEngineError(error);
    }
  }

  const change = <T>(work: () => Promise<T>): Promise<T> => ask(work, CHANGE_MS_MAX);

  let described: { facts: Awaited<ReturnType<Engine["describe"]>>; until: number } | undefined;

  async function readDescription(): Promise<NonNullable<typeof described>> {
    const apiVersion = await negotiate();
    const info = (await ctx.docker.info()) as { ServerVersion: string; DockerRootDir: string };
    const facts = { version: info.ServerVersion, apiVersion, dataDirectory: info.DockerRootDir };
    return { facts, until: performance.now() + DESCRIBED_MS };
  }

  let hidden: Promise<void> | undefined;

  /** Once in the agent's life, before any build could name what is there. */
  function hideNames(): Promise<void> {
    hidden ??= hideImageNames(ctx);
    hidden.catch(() => (hidden = undefined));
    return hidden;
  }

  /** Has limits of its own. */
  async function build(request: BuildRequest): Promise<{ imageDigest: string }> {
    try {
      await negotiated();
      await ctx.ensureRoutingRules();
      await hideNames();
      return await options.build(request);
    } catch (error) {
      throw translateEngineError(error);
    }
  }

  /** Takes as long as whoever gives the archive. @throws SvcError; what the archive throws */
  async function reading(
    archive: AsyncIterable<Uint8Array>,
    work: (archive: AsyncIterable<Uint8Array>) => Promise<void>,
  ): Promise<void> {
    let broken: { error: unknown } | undefined;
    async function* watched(): AsyncGenerator<Uint8Array> {
      try {
        yield* archive;
      } catch (error) {
        broken = { error };
        throw error;
      }
    }
    try {
      await negotiated();
      await work(watched());
    } catch (error) {
      throw broken ? broken.error : translateEngineError(error);
    }
  }

  async function* streamed<T>(check: () => Promise<unknown>, open: () => AsyncGenerator<T>): AsyncGenerator<T> {
    await ask(check);
    try {
      yield* open();
    } catch (error) {
      throw translateEngineError(error);
    }
  }

  /** Streams what the engine sends of one of our containers. */
  const streamedOf = <T>(id: string, open: () => AsyncGenerator<T>): AsyncGenerator<T> =>
    streamed(() => requireOwn(ctx, id), open);

  return {
    ping: () => ask(async () => void (await ctx.docker.ping())),
    describe: () =>
      ask(async () => {
        if (described !== undefined && performance.now() < described.until) await ctx.docker.ping();
        else described = await readDescription();
        return described.facts;
      }).catch((error: unknown) => {
        described = undefined;
        throw error;
      }),
    ensureNetwork: (app) => change(async () => void (await ensureNetwork(ctx, app))),
    removeNetwork: (app) => change(() => removeNetwork(ctx, app)),
    build,
    images: (appId) =>
      ask(async () => {
        const images = await listImages(ctx, appId);
        return images.map(({ digest, deployId, createdAt }) => ({ digest, deployId, createdAt }));
      }),
    tagImage: (digest, app, tag) => change(() => tagImage(ctx, digest, app, tag)),
    saveImage: (digest, app) => streamed(negotiated, () => saveImage(ctx, digest, app)),
    loadImage: (archive, image) => reading(archive, (watched) => loadImage(ctx, watched, image)),
    removeImages: (appId, deployId) => change(() => removeImages(ctx, appId, deployId)),
    run: (spec, signal) => ask(() => runContainer(ctx, spec, signal), RUN_MS_MAX),
    keepRunning: (id) => change(() => restartWhenItExits(ctx, id)),
    listeningSockets: (id) =>
      ask(async () => {
        const { State: state } = await requireOwn(ctx, id);
        return state.Running ? readListeningSockets(state.Pid, id) : [];
      }),
    list: (filter) => ask(() => listContainers(ctx, filter)),
    start: (id) => change(() => startContainer(ctx, id)),
    stop: (id, graceSeconds) => change(() => stopContainer(ctx, id, graceSeconds)),
    remove: (id) => change(() => removeContainer(ctx, id)),
    logs: (id, logOptions: LogOptions): AsyncGenerator<LogLine[]> =>
      streamedOf(id, () => readLogs(ctx, id, logOptions)),
    linesSince: (id, from) => streamedOf(id, () => readLinesSince(ctx, id, from)),
    environment: (id) => ask(() => readEnvironment(ctx, id)),
    exec: (id, argv, stdin) =>
      change(async () => {
        await requireOwn(ctx, id);
        return execInContainer(ctx, id, argv, stdin);
      }),
    execStream: (id, argv, stdin) => streamedOf(id, () => streamExec(ctx, id, argv, stdin)),
    archive: (id, path) => streamedOf(id, () => readArchive(ctx, id, path)),
    makeFrom: (spec, { path, archive }) =>
      reading(archive, (watched) => makeFromArchive(ctx, spec, { path, archive: watched })),
    containerEvents: (from) => streamed(negotiated, () => readContainerEvents(ctx, from)),
    processRefusals: () => ask(readRefusals),
    usage: () => ask(readUsage),
    storage: () => ask(readStorage),
    volumes: (app) => ask(() => listVolumes(ctx, app)),
    removeVolumes: (app) => change(() => removeVolumes(ctx, app)),
    keepAppsApart: async (signal, onFailure) => {
      await Promise.all([routingRules.keep(signal, onFailure), connectionRate.keep(signal)]);
    },
    hideImageNames: () => change(hideNames),
  };
}
