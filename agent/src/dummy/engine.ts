import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { SvcError } from "@svc/shared/errors.ts";

import { newId } from "@svc/shared/rules/ids.ts";
import { LINE_BYTES_MAX } from "@svc/shared/rules/log-line.ts";
import type {
  AppRef,
  ContainerEvent,
  ContainerSpec,
  ContainerState,
  Engine,
  LogLine,
  OwnedContainer,
  StampedLine,
} from "../ports.ts";
import { DummyEvents } from "./container-events.ts";
import { usageOf } from "./container-usage.ts";
import type { DummyEngineKnobs } from "./engine-knobs.ts";

interface DummyImage {
  digest: string;
  appId: string;
  deployId: string;
  createdAt: Date;
}

interface DummyContainer {
  state: ContainerState;
  env: Readonly<Record<string, string>>;
  restarts: boolean;
}

/** Engines with different server labels share it, as agents on one machine do. */
export interface DummyWorld {
  /** Server → its images, by digest. */
  images: Map<string, Map<string, DummyImage>>;
  containers: Map<string, Map<string, DummyContainer>>;
}

export function createDummyWorld(): DummyWorld {
  return { images: new Map(), containers: new Map() };
}

export interface DummyEngine extends Engine {
  knobs: DummyEngineKnobs;
  /** An image as if a deploy had built it. @returns its digest */
  addImage(appId: string, deployId: string): string;
  /** Names given with tagImage, with their digest. */
  tags: ReadonlyMap<string, string>;
  /** The kernel ends a process of the container for its memory. */
  exhaustMemory(containerId: string): void;
  /** The container ends by itself, and the engine starts it again. */
  crash(containerId: string, exitCode: number): void;
  /** The container's main process ends by itself. */
  end(containerId: string, exitCode: number): void;
  /** Ids of containers that come back by themselves. */
  kept(): string[];
}

const OUTPUT_BYTES_MAX = 64 * 1024;

/** The Engine port in memory; passes the contract suite of the real one. */
export function createDummyEngine(serverId: string = newId(), world: DummyWorld = createDummyWorld()): DummyEngine {
  const images = entry(world.images, serverId);
  const containers = entry(world.containers, serverId);
  const networks = new Set<string>();
  const tags = new Map<string, string>();
  const knobs: DummyEngineKnobs = {
    down: false,
    diskFull: false,
    addressesExhausted: false,
    exits: undefined,
    sockets: [],
    exec: (argv, stdin) => ({ exitCode: argv[0] === "cat" ? 0 : 127, output: stdin }),
    buildError: undefined,
    storage: () => [],
    log: [],
    processRefusals: () => 0,
    counters: () => ({ cpuMs: 0, memoryBytes: 0, networkBytesIn: 0, networkBytesOut: 0 }),
  };
  const events = new DummyEvents();

  /** Every call is asynchronous and can fail, as the real one's. */
  async function answer<T>(work: () => T): Promise<T> {
    await Promise.resolve();
    if (knobs.down) throw new SvcError("engine_unavailable", "The server's container engine does not answer.");
    return work();
  }

  function useDisk(): void {
    if (knobs.diskFull) throw new SvcError("disk_full", "The disk of the server's container engine is full.");
  }

  function ensureNetwork(appId: string): void {
    if (networks.has(appId)) return;
    if (knobs.addressesExhausted) throw new SvcError("address_block_exhausted", "No subnet is free.");
    networks.add(appId);
  }

  function require(id: string): DummyContainer {
    const container = containers.get(id);
    if (container === undefined) throw new SvcError("not_found", `This server has no container ${id} of an app.`);
    return container;
  }

  function tell(state: ContainerState, kind: ContainerEvent["kind"]): void {
    const exitCode = kind === "ended" ? state.exitCode : undefined;
    events.tell(ofOwner(state, { kind, exitCode, time: new Date() }));
  }

  function start(container: DummyContainer): void {
    const ended = knobs.exits;
    container.state = {
      ...container.state,
      state: ended === undefined ? "running" : "exited",
      exitCode: ended?.exitCode,
      outOfMemory: ended?.outOfMemory ?? false,
      restartCount: 0,
      startedAt: startAfter(container.state),
    };
    tell(container.state, "started");
    if (ended !== undefined) tell(container.state, "ended");
  }

  function stop(container: DummyContainer): void {
    tell(container.state, "signalled");
    end(container, 143);
  }

  function end(container: DummyContainer, exitCode: number): void {
    container.state = { ...container.state, state: "exited", exitCode };
    tell(container.state, "ended");
  }

  function addImage(appId: string, deployId: string): string {
    const digest = `sha256:${createHash("sha256").update(deployId).digest("hex")}`;
    images.set(digest, { digest, appId, deployId, createdAt: new Date() });
    return digest;
  }

  function make(spec: ContainerSpec): DummyContainer {
    useDisk();
    if (spec.image.startsWith("sha256:") && !images.has(spec.image)) {
      throw new SvcError("not_found", `The image ${spec.image} is not on the server any more.`);
    }
    ensureNetwork(spec.app.id);
    const container: DummyContainer = {
      state: madeState(spec, freeAddress(spec.app.id)),
      env: spec.env,
      restarts: false,
    };
    containers.set(container.state.id, container);
    start(container);
    return container;
  }

  /** On loopback: at an address of the agent's own block a container of the real engine may answer. */
  function freeAddress(appId: string): string {
    const taken = new Set([...containers.values()].filter(({ state }) => state.appId === appId).map(addressOf));
    for (let last = 16; ; last += 1) {
      if (!taken.has(`127.210.0.${last}`)) return `127.210.0.${last}`;
    }
  }

  function find({ app, role, deployId }: ContainerSpec): DummyContainer | undefined {
    return [...containers.values()].find(
      ({ state }) => state.appId === app.id && state.role === role && state.deployId === deployId,
    );
  }

  async function* commandOutput(id: string, argv: readonly string[], stdin = ""): AsyncGenerator<Buffer> {
    const { exitCode, output } = await answer(() => require(id) && knobs.exec(argv, stdin));
    if (exitCode !== 0) throw new SvcError("internal", `${argv[0]} ended with exit code ${exitCode}.`);
    yield Buffer.from(output);
  }

  async function* saveImage(digest: string, app: AppRef): AsyncGenerator<Buffer> {
    const image = await answer(() => images.get(digest));
    if (image?.appId !== app.id) throw new SvcError("not_found", `The app has no image ${digest}.`);
    yield Buffer.from(image.deployId);
  }

  async function* archive(id: string): AsyncGenerator<Buffer> {
    await answer(() => require(id));
    // The end of a tar archive: two blocks of zeros.
    yield Buffer.alloc(1024);
  }

  async function* containerEvents({ since, signal }: { since: Date; signal: AbortSignal }) {
    await answer(() => undefined);
    yield* events.since(since, signal);
  }

  async function* logs(
    id: string,
    options: { lines: number; follow: boolean; signal?: AbortSignal },
  ): AsyncGenerator<LogLine[]> {
    await answer(() => require(id));
    if (options.signal?.aborted) return;
    const lines = knobs.log.slice(-options.lines);
    if (lines.length > 0) yield lines;
    if (options.follow && options.signal !== undefined && require(id).state.state === "running") {
      await aborted(options.signal);
    }
  }

  async function* linesSince(
    id: string,
    { lines, since = "", signal }: { lines: number; since: string | undefined; signal: AbortSignal },
  ): AsyncGenerator<StampedLine[]> {
    await answer(() => require(id));
    if (signal.aborted) return;
    const stamped = knobs.log.map((line) => ({
      ...line,
      output: line.output ?? ("stdout" as const),
      stamp: stampOf(line.time),
      goesOn: line.text.length >= LINE_BYTES_MAX,
    }));
    yield stamped.slice(-lines).filter(({ stamp }) => stamp >= since);
  }

  return {
    knobs,
    addImage,
    tags,
    exhaustMemory: (id) => tell(require(id).state, "out_of_memory"),
    crash(id, exitCode) {
      const container = require(id);
      const restartCount = container.state.restartCount + 1;
      container.state = { ...container.state, state: "restarting", exitCode, restartCount };
      tell(container.state, "ended");
      container.state = {
        ...container.state,
        state: "running",
        exitCode: undefined,
        startedAt: startAfter(container.state),
      };
    },
    end: (id, exitCode) => end(require(id), exitCode),
    kept: () => [...containers.values()].filter(({ restarts }) => restarts).map(({ state }) => state.id),
    ping: () => answer(() => undefined),
    describe: () => answer(() => ({ version: "0.0.0-dummy", apiVersion: "1.41", dataDirectory: "/" })),
    ensureNetwork: (app) => answer(() => ensureNetwork(app.id)),
    removeNetwork: (app) => answer(() => void networks.delete(app.id)),
    build: ({ app, deployId, signal }) =>
      answer(() => {
        signal.throwIfAborted();
        useDisk();
        if (knobs.buildError !== undefined) throw knobs.buildError;
        return { imageDigest: addImage(app.id, deployId) };
      }),
    images: (appId) =>
      answer(() =>
        [...images.values()]
          .filter((image) => image.appId === appId)
          .toReversed()
          .map(({ digest, deployId, createdAt }) => ({ digest, deployId, createdAt })),
      ),
    tagImage: (digest, app, tag) =>
      answer(() => {
        if (images.get(digest)?.appId !== app.id) throw new SvcError("not_found", `The app has no image ${digest}.`);
        tags.set(`svc/${app.id}:${tag}`, digest);
      }),
    saveImage,
    async loadImage(archived, { digest, app, tag }) {
      const deployId = (await buffer(archived)).toString();
      const found = await answer(() => addImage(app.id, deployId));
      if (found !== digest) throw new SvcError("not_found", `The other server sent another image than ${digest}.`);
      tags.set(`svc/${app.id}:${tag}`, digest);
    },
    removeImages: (appId, deployId) =>
      answer(() => {
        for (const image of images.values()) {
          const used = [...containers.values()].some(({ state }) => state.imageDigest === image.digest);
          if (image.appId === appId && image.deployId === deployId && !used) images.delete(image.digest);
        }
      }),
    run: (spec, signal) =>
      answer(() => {
        signal?.throwIfAborted();
        return (find(spec) ?? make(spec)).state;
      }),
    keepRunning: (id) => answer(() => void (require(id).restarts = true)),
    listeningSockets: (id) => answer(() => require(id) && knobs.sockets),
    list: ({ appId, deployId, role }) =>
      answer(() =>
        [...containers.values()]
          .map(({ state }) => state)
          .filter((state) => appId === undefined || state.appId === appId)
          .filter((state) => deployId === undefined || state.deployId === deployId)
          .filter((state) => role === undefined || state.role === role)
          .toReversed(),
      ),
    start: (id) => answer(() => start(require(id))),
    stop: (id) =>
      answer(() => {
        const container = containers.get(id);
        if (container?.state.state === "running") stop(container);
      }),
    remove: (id) => answer(() => void containers.delete(id)),
    logs,
    linesSince,
    environment: (id) => answer(() => ({ ...require(id).env })),
    exec: (id, argv, stdin) =>
      answer(() => {
        if (require(id).state.state !== "running") throw new SvcError("not_found", "The container does not run.");
        const { exitCode, output } = knobs.exec(argv, stdin);
        return { exitCode, output: Buffer.from(output).subarray(0, OUTPUT_BYTES_MAX).toString() };
      }),
    execStream: commandOutput,
    archive,
    async makeFrom(spec, { archive: files }) {
      await buffer(files);
      await answer(() => {
        const former = find(spec);
        if (former) containers.delete(former.state.id);
        make(spec).state.state = "created";
      });
    },
    containerEvents,
    processRefusals: () =>
      answer(() =>
        [...containers.values()]
          .filter(({ state }) => state.state === "running")
          .map(({ state }) => ofOwner(state, { processesMax: 512, count: knobs.processRefusals(state.id) })),
      ),
    usage: () =>
      answer(() =>
        usageOf(
          [...containers.values()].map(({ state }) => state),
          knobs.counters,
        ),
      ),
    storage: () =>
      answer(() => [...containers.values()].map(({ state }) => ofOwner(state, { paths: knobs.storage(state.id) }))),
    volumes: () => answer(() => []),
    removeVolumes: () => answer(() => undefined),
  };
}

/** Milliseconds with the six further digits that a stamp has. */
function stampOf(time: Date): string {
  return time.toISOString().replace("Z", "000000Z");
}

function madeState(spec: ContainerSpec, address: string): ContainerState {
  return {
    id: createHash("sha256").update(newId()).digest("hex"),
    appId: spec.app.id,
    appName: spec.app.name,
    role: spec.role,
    deployId: spec.deployId,
    release: spec.release,
    imageDigest: spec.image,
    state: "created",
    exitCode: undefined,
    outOfMemory: false,
    restartCount: 0,
    memoryBytes: spec.memoryBytes,
    address,
    port: spec.port,
    startedAt: undefined,
  };
}

function ofOwner<T>({ id: containerId, appId, appName, role }: ContainerState, facts: T): OwnedContainer & T {
  return { containerId, appId, appName, role, ...facts };
}

function addressOf({ state }: DummyContainer): string {
  return state.address;
}

function entry<Value>(worlds: Map<string, Map<string, Value>>, serverId: string): Map<string, Value> {
  const existing = worlds.get(serverId) ?? new Map<string, Value>();
  worlds.set(serverId, existing);
  return existing;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** A container that starts again does so later, as on an engine, which counts in nanoseconds. */
function startAfter({ startedAt }: ContainerState): Date {
  return new Date(Math.max(Date.now(), (startedAt?.getTime() ?? 0) + 1));
}
