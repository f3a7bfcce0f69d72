import { IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { SvcError } from "@svc/shared/errors.ts";
import { REGISTRY_ARG } from "@svc/shared/frameworks/node/project/package-manager.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import type Docker from "dockerode";
import { imageLabels } from "@svc/shared/rules/labels.ts";
import type { BuildRequest, Engine, Git, Host } from "../ports.ts";
import { BuildHold } from "./limits/build-caps.ts";
import { createCgroups, type BuildCaps, type Cgroup } from "./limits/build-cgroup.ts";
import { packContext, type BuildContext } from "./context/build-context.ts";
import { explainBuildFailure } from "./build-failure.ts";
import { BuildLog } from "./build-log.ts";
import { BuildProcesses } from "./limits/build-processes.ts";
import { freeLeftovers } from "./limits/build-leftovers.ts";
import { hostNpmRegistry } from "./build-npm-registry.ts";
import { readBuildStream, type BuildOutcome } from "./build-stream.ts";
import { BuildTurn } from "./limits/build-turn.ts";
import { watchBuild } from "./limits/build-watch.ts";
import { DEFAULT_WATERMARKS, requireRoom, type BuildWatermarks } from "./limits/build-watermarks.ts";
import { diskShortage } from "../platform/disk-shortage.ts";
import { isConnectionError, unless } from "../engine/errors.ts";
import type { FetchedImages } from "./additions/fetched-images.ts";
import type { HostNames } from "../engine/network/host-names.ts";
import { endOrphanedBuilds } from "./limits/orphaned-builds.ts";
import { prepareDockerfile, type PreparedDockerfile } from "./prepare-dockerfile.ts";

export interface ImageBuilderOptions {
  docker: Docker;
  /** Fetches the repositories that Dockerfiles ADD. */
  git: Git;
  serverId: string;
  host: Host;
  caps: BuildCaps;
  /** Whether builds are refused where their caps can't be set (SVC_BUILD_CAPS). */
  areCapsRequired?: boolean;
  watermarks?: BuildWatermarks;
  names: HostNames;
  fetchedImages: FetchedImages;
  /** Official name of a base image → where this host gets it; for generated Dockerfiles. */
  resolveImage?: (officialName: string) => string;
  log: Logger;
}

/** This is enough for parallel compilers, and few enough that the host can still start processes. */
export const BUILD_PIDS_MAX = 4096;

/** The engine kills an instruction in a fraction of a second; this is for a host that is busy with it. */
const PROCESSES_GONE_MS_MAX = 5000;

interface Builder extends ImageBuilderOptions {
  watermarks: BuildWatermarks;
  engine: EngineFacts;
  processes: BuildProcesses;
  hold: BuildHold;
}

interface EngineFacts {
  dataDirectory: string;
  npmRegistry: string | undefined;
  platform: { os: string; architecture: string };
  /** Whether the builder inside the engine knows heredocs. */
  hasHeredocs: boolean;
}

/** 1.42 is the API of Docker 23, the first engine whose own builder knows heredocs. */
const HEREDOC_API_MINOR = 42;

/** Builds images with the engine's BuildKit, one at a time, within the caps; what `Engine.build` is made of. */
export function createImageBuilder(options: ImageBuilderOptions): Engine["build"] {
  const turn = new BuildTurn();
  const cgroups = createCgroups();
  const known = new Map<string, Cgroup>();
  // Asking npm takes half a second; what the engine says may change with its restart, and takes 10 ms.
  let npmRegistry: ReturnType<typeof hostNpmRegistry> | undefined;

  return (request) => {
    const onWait = (): void => {
      request.output.progress("waiting for another build on this server");
      request.output.log("Waiting for another build on this server to end.");
    };
    return turn.take(request.signal, onWait, async () => {
      const engine = await readFacts(options.docker, (npmRegistry ??= hostNpmRegistry()));
      // An engine that was killed together with the agent may have left some.
      await endOrphans(engine.dataDirectory, options.log);
      const watermarks = options.watermarks ?? DEFAULT_WATERMARKS;
      const { host, fetchedImages } = options;
      const hasRoom = async (): Promise<boolean> => !(await diskShortage(host, engine.dataDirectory, watermarks));
      await fetchedImages.removeUntil(hasRoom);
      const room = await requireRoom(host, [engine.dataDirectory], watermarks);
      const caps = { ...options.caps, memoryBytes: Math.min(options.caps.memoryBytes, room.memoryBytes) };
      const processes = new BuildProcesses(engine.dataDirectory);
      const { areCapsRequired: areRequired = true, log } = options;
      const hold = new BuildHold({ cgroups, processes, caps, areRequired, known, log });
      await hold.prepare();
      return build({ ...options, watermarks, caps, engine, processes, hold }, request);
    });
  };
}

async function readFacts(docker: Docker, npmRegistry: Promise<string | undefined>): Promise<EngineFacts> {
  const [info, version] = await Promise.all([docker.info() as Promise<Record<string, unknown>>, docker.version()]);
  return {
    dataDirectory: String(info["DockerRootDir"]),
    npmRegistry: await npmRegistry,
    platform: { os: version.Os, architecture: version.Arch },
    hasHeredocs: Number(version.ApiVersion.split(".")[1]) >= HEREDOC_API_MINOR,
  };
}

async function build(builder: Builder, request: BuildRequest): Promise<{ imageDigest: string }> {
  const startedAt = performance.now();
  const begunAt = Date.now();
  const { host, watermarks, caps, log, engine, hold } = builder;
  let prepared: PreparedDockerfile | undefined;
  const buildLog = new BuildLog(
    (line) => request.output.log(line),
    (name) => prepared?.shown.step(name),
  );
  const isInstructionRunning = (): boolean => buildLog.isInstructionRunning();
  const directories = [engine.dataDirectory, request.directory];
  const watch = watchBuild({ host, watermarks, hold, isInstructionRunning, log, directories });
  const signal = AbortSignal.any([request.signal, watch.signal]);
  try {
    prepared = await prepareDockerfile({ ...builder, ...engine }, { ...request, signal });
    const { imageDigest, error } = await run(builder, { ...request, signal }, prepared.text, buildLog);
    signal.throwIfAborted();
    if (error !== undefined) {
      const memoryLimit = hold.isHeld ? `${Math.round(caps.memoryBytes / 1024 ** 2)} MiB of memory` : undefined;
      const message = prepared.shown.message(error);
      throw explainBuildFailure({ message, step: buildLog.failedStep(), memoryLimit, outputs: request.outputs ?? [] });
    }
    if (imageDigest === undefined) throw endedWithoutWord();
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    request.output.log(`Built in ${seconds} s, ${buildLog.summary()}.`);
    return { imageDigest };
  } catch (error) {
    const reason: unknown = signal.aborted ? signal.reason : error;
    await clearAway(builder, request);
    await freeLeftovers({ docker: builder.docker, reason, begunAt, host, directories, watermarks, log });
    throw reason;
  } finally {
    watch.stop();
    await prepared
      ?.clear()
      .catch((err: unknown) => log.warn({ err }, "what a build has fetched stays until the start"));
    await builder.fetchedImages
      .removeUnused()
      .catch((err: unknown) => log.warn({ err }, "images that builds had fetched stay until the next build"));
  }
}

async function run(builder: Builder, request: BuildRequest, text: string, buildLog: BuildLog): Promise<BuildOutcome> {
  const path = "path" in request.dockerfile ? request.dockerfile.path : undefined;
  const context = packContext(request.directory, { path, text }, request.signal);
  const stopped = new AbortController();
  let contextError: Error | undefined;
  context.stream.once("error", (error: Error) => {
    contextError = error;
    stopped.abort();
  });
  try {
    const response = await send(builder, request, context, AbortSignal.any([request.signal, stopped.signal]));
    return await readBuildStream(response, (status) => buildLog.add(status));
  } catch (error) {
    if (contextError && !request.signal.aborted) throw unreadable(contextError);
    throw error;
  } finally {
    context.stream.destroy();
  }
}

/**
 * The engine's build call (API 1.38 and newer with `version=2`), without dockerode's own wrapper, which opens a session
 * for registry passwords and leaves it open when the build is aborted. Ending the connection ends the build.
 */
function send(
  builder: Builder,
  request: BuildRequest,
  context: BuildContext,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const options = {
    version: "2",
    t: imageName(builder, request),
    dockerfile: context.dockerfile,
    labels: { ...imageLabels(builder.serverId, request.app, request.deployId) },
    buildargs: buildArgs(builder, request),
    networkmode: "default",
  };
  return new Promise((resolve, reject) => {
    builder.docker.modem.dial(
      {
        path: "/build?",
        method: "POST",
        file: context.stream,
        options,
        abortSignal: signal,
        isStream: true,
        statusCodes: { 200: true, 400: "bad request", 500: "server error" },
      },
      (error: Error | null, response: unknown) => {
        if (response instanceof IncomingMessage) resolve(response);
        else reject(error ?? new Error("the engine gave no answer to a build"));
      },
    );
  });
}

/** BuildKit puts this before the names of cache mounts, so that each owner's are apart. */
const CACHE_NAMESPACE_ARG = "BUILDKIT_CACHE_MOUNT_NS";

function buildArgs(
  { engine, names }: Builder,
  { app, dockerfile, buildArgs: args }: BuildRequest,
): Record<string, string> {
  const isGenerated = "text" in dockerfile && dockerfile.text.includes(`ARG ${REGISTRY_ARG}`);
  const own = { [CACHE_NAMESPACE_ARG]: names.cacheNamespaceOf(app.ownerId) };
  return { ...args, ...own, ...(isGenerated && engine.npmRegistry ? { [REGISTRY_ARG]: engine.npmRegistry } : {}) };
}

function imageName({ names }: Builder, { app, deployId }: BuildRequest): string {
  return `${names.repositoryOf(app.id)}:${deployId}`;
}

/** Nothing of a build that did not succeed stays: no process, no image that was named just before the end. */
async function clearAway(builder: Builder, request: BuildRequest): Promise<void> {
  const { docker, processes, log } = builder;
  await endOrphans(builder.engine.dataDirectory, log);
  const deadline = performance.now() + PROCESSES_GONE_MS_MAX;
  while ((await processes.find()).length > 0 && performance.now() < deadline) await delay(20);
  await unless([404], docker.getImage(imageName(builder, request)).remove()).catch((error: unknown) => {
    if (!isConnectionError(error))
      log.warn({ err: error, deployId: request.deployId }, "image of a failed build stays");
  });
}

async function endOrphans(engineDirectory: string, log: Logger): Promise<void> {
  const ended = await endOrphanedBuilds(engineDirectory);
  if (ended > 0) log.warn({ processes: ended }, "ended what a build had run whose engine was killed");
}

/** Makes the error of a build whose engine was stopped. */
function endedWithoutWord(): SvcError {
  return new SvcError(
    "engine_unavailable",
    "The server's container engine ended the build without a result; it may have been restarted. Deploy again.",
  );
}

function unreadable(cause: Error): SvcError {
  return new SvcError("internal", "The fetched sources could not be read on the server.", { cause });
}
