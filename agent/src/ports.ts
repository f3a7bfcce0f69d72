/**
 * Ports are what the steps need from the host, and say nothing about how it is done. Each port has one real
 * implementation (git/, docker/, proxy/) and a twin in dummy/ with a knob per failure; one contract suite runs on both.
 * Every method may throw SvcError with a code of shared/errors.ts; anything else is a bug.
 */

import type { BuildOutput } from "@svc/shared/frameworks/framework.ts";
import type { CertificatePolicy } from "./edge/certificates/certificate-policy.ts";
import type { Route } from "./edge/routes.ts";

export type { Route } from "./edge/routes.ts";

/** UUID and RFC 1123 name of an app; labels, networks and volumes are named after the id. */
export interface AppRef {
  id: string;
  name: string;
}

/** An app with its owner's UUID: caches of builds and the budget of certificates are kept apart by owner. */
export interface OwnedApp extends AppRef {
  ownerId: string;
}

/** The output of a step for its user while it works. Lines arrive in the journal in the order of the calls. */
export interface StepOutput {
  log(line: string): void;
  progress(message: string): void;
}

/** The output of a run: a step tells it what becomes of the source, too. */
export interface RunOutput extends StepOutput {
  /** Tells which commit is built. */
  checkedOut(commitSha: string): void;
}

export interface OutboundPolicy {
  /** CIDRs that may be reached although they are not public. */
  allowCidrs: readonly string[];
  /** Further certificate authorities, PEM; empty for none. */
  caPem: string;
  /** `address[:port]` of the name servers that are asked for addresses; empty for the host's own. */
  dnsServers: readonly string[];
}

export interface Git {
  /**
   * Fetches one commit into `directory` (made anew, removed again on failure).
   * @throws SvcError repository_not_found, repository_needs_credentials, repository_unreachable, repository_too_large,
   * ref_not_found, invalid_request (the ref cannot be one), disk_full, canceled
   */
  checkout(request: CheckoutRequest): Promise<{ commitSha: string }>;
}

export interface CheckoutRequest {
  repoUrl: string;
  /** Branch, tag or SHA; undefined for the default branch. */
  ref: string | undefined;
  directory: string;
  outbound: OutboundPolicy;
  /** Limits of the fetched objects and of the files that are checked out; the host's own hold, too. */
  limits?: { bytesMax: number; filesMax: number };
  /** Undefined: anonymous. */
  credentials?: GitCredentials | undefined;
  output: StepOutput;
  signal: AbortSignal;
}

/** How a private repository is read. Never logged, never in argv or a URL. */
export type GitCredentials =
  | { kind: "token"; token: string }
  /** OpenSSH; `knownHosts` are lines of a known_hosts file. */
  | { kind: "ssh"; privateKey: string; knownHosts: readonly string[] };

/** `app` serves the app, `database` is its PostgreSQL. */
export type ContainerRole = "app" | "database";

export interface ContainerSpec {
  app: AppRef;
  role: ContainerRole;
  /** The deploy that makes it; a database belongs to none. */
  deployId: string | undefined;
  /** The major version of a database's PostgreSQL. */
  release: string | undefined;
  /** sha256:… (must be there) or the official name of a base image (fetched when missing). */
  image: string;
  /** Takes the place of the image's own command. */
  command?: readonly string[];
  /** Variables as the owner gave them, byte for byte. */
  env: Readonly<Record<string, string>>;
  port: number;
  memoryBytes: number;
  cpuMillis: number;
  /** Other names it answers to on the app's network. */
  aliases: readonly string[];
  /** Mount point → the purpose that names the volume. */
  volumes: Readonly<Record<string, string>>;
  /** Linux capabilities beyond none; the database image needs a few to change its user. */
  capabilities: readonly string[];
}

export interface ContainerState {
  id: string;
  appId: string;
  appName: string;
  role: ContainerRole;
  deployId: string | undefined;
  release: string | undefined;
  imageDigest: string;
  /** The engine's state: created, running, exited, … */
  state: string;
  exitCode: number | undefined;
  outOfMemory: boolean;
  /** How often the engine has started it again by itself since it was started by `start` or `run`. */
  restartCount: number;
  /** Its cap. */
  memoryBytes: number;
  /** Its address on the app's network; fixed for the container's life, also over a reboot. */
  address: string;
  port: number;
  startedAt: Date | undefined;
}

/** A container, with whose it is. */
export interface OwnedContainer {
  containerId: string;
  appId: string;
  appName: string;
  role: ContainerRole;
}

/**
 * An event of a container; `signalled`: somebody had the engine send it a signal, also to stop it; `out_of_memory`: the
 * kernel has ended at least one of its processes.
 */
export interface ContainerEvent extends OwnedContainer {
  kind: "started" | "signalled" | "out_of_memory" | "ended";
  /** The exit code of a container that has ended. */
  exitCode: number | undefined;
  time: Date;
}

/** How often a running container could start no further process, since it was started itself. */
export interface ProcessRefusals extends OwnedContainer {
  processesMax: number;
  count: number;
}

/** Counters of a container, from its start on, and its memory. */
export interface ContainerCounters {
  /** Time on processors. Milliseconds. */
  cpuMs: number;
  /** Without files that the kernel may drop from memory. */
  memoryBytes: number;
  networkBytesIn: number;
  networkBytesOut: number;
}

/** The use of a container that runs, or waits to be started again. */
export interface ContainerUsage extends OwnedContainer {
  /** Is another one after each start: the counters begin at 0 with it. */
  run: string;
  startedAt: Date | undefined;
  /** As in ContainerState. */
  restartCount: number;
  memoryBytesMax: number;
  /** Undefined where they can't be read from here. */
  counters: ContainerCounters | undefined;
}

/** The disk space that a container takes, with its owner. */
export interface StoragePlace extends OwnedContainer {
  /** Directories on the host: its writable layer, and each volume, those that its image declares among them. */
  paths: readonly string[];
}

export interface BuildRequest {
  app: OwnedApp;
  deployId: string;
  /** The build context; `.dockerignore` in it is honoured. */
  directory: string;
  /** A folder for what the build fetches; the caller removes it. */
  scratch: string;
  /** Path inside the context, or the text of a generated Dockerfile. */
  dockerfile: { path: string } | { text: string };
  /** Files that a generated Dockerfile expects its build to make. */
  outputs?: readonly BuildOutput[];
  /** Addresses from which the Dockerfile may fetch. */
  outbound: OutboundPolicy;
  buildArgs: Readonly<Record<string, string>>;
  output: StepOutput;
  signal: AbortSignal;
}

/** The two outputs of a container, each with lines of its own. */
export type LogOutput = "stdout" | "stderr";

export interface LogLine {
  time: Date;
  text: string;
  /** Undefined for what no container wrote. A line that was cut goes on in the next one of the same output. */
  output?: LogOutput;
}

/** A line as the engine has kept it. */
export interface StampedLine extends Required<LogLine> {
  /** The engine's own time: RFC 3339 in UTC with nine digits of a second, so that the order of texts is that of times. */
  stamp: string;
  /** The engine has cut the line here: the next one of the same output is its rest. */
  goesOn: boolean;
}

export interface ListeningSocket {
  port: number;
  /** Only processes of the container itself reach it. */
  loopback: boolean;
}

export interface ContainerFilter {
  appId?: string;
  deployId?: string;
  role?: ContainerRole;
}

/**
 * The container engine. Sees and touches only what carries this server's label (`svc.server`), so that other software,
 * and other agents, may share the engine.
 */
export interface Engine {
  /** Resolves when the engine answers; costs it next to nothing. @throws SvcError engine_unavailable */
  ping(): Promise<void>;
  /** @throws SvcError engine_unavailable */
  describe(): Promise<{ version: string; apiVersion: string; dataDirectory: string }>;

  /** The app's own network, from the platform's address block. Idempotent. @throws SvcError address_block_exhausted, isolation_unavailable */
  ensureNetwork(app: AppRef): Promise<void>;
  removeNetwork(app: AppRef): Promise<void>;

  /**
   * Builds and labels an image; nothing of it stays when it fails or is canceled.
   * @throws SvcError build_failed, build_out_of_memory, build_caps_unavailable, isolation_unavailable,
   * base_image_unavailable, disk_full, canceled, engine_unavailable
   */
  build(request: BuildRequest): Promise<{ imageDigest: string }>;
  /** Images of the app, newest first. */
  images(appId: string): Promise<{ digest: string; deployId: string; createdAt: Date }[]>;
  /** Gives the image a tag among the app's images, whose names are known to nobody outside of the host. */
  tagImage(digest: string, app: AppRef, tag: string): Promise<void>;
  /** The app's image with its layers, as `docker save` writes it. @throws SvcError not_found */
  saveImage(digest: string, app: AppRef): AsyncIterable<Buffer>;
  /**
   * Takes what `saveImage` of another host gives; the image counts as one of this host's from then on. None of the archive's
   * own names is taken. @throws SvcError not_found when it has another image, invalid_request when it is no such archive
   */
  loadImage(archive: AsyncIterable<Uint8Array>, image: { digest: string; app: AppRef; tag: string }): Promise<void>;
  /** Removes the app's images of that deploy; one that a container uses stays. */
  removeImages(appId: string, deployId: string): Promise<void>;

  /**
   * Makes and starts the container, or returns the one of the same app, role and deploy that exists (started when it
   * never was). It does not come back by itself when it exits: see `keepRunning`.
   * @throws SvcError not_found (the image is gone), base_image_unavailable, app_exited (its image names no command),
   * name_taken, address_block_exhausted, isolation_unavailable, disk_full, engine_unavailable; the signal's reason, before it makes or
   * starts it
   */
  run(spec: ContainerSpec, signal?: AbortSignal): Promise<ContainerState>;
  /** From now on the container is started again when it exits, and after a reboot, until it is stopped. Idempotent. */
  keepRunning(id: string): Promise<void>;
  /** Lists the sockets of the container's processes; undefined when that cannot be told from here. */
  listeningSockets(id: string): Promise<ListeningSocket[] | undefined>;
  /** Newest first. */
  list(filter: ContainerFilter): Promise<ContainerState[]>;
  start(id: string): Promise<void>;
  /** SIGTERM, then SIGKILL after the grace period. Idempotent. */
  stop(id: string, graceSeconds: number): Promise<void>;
  /** Idempotent; a running one is killed. */
  remove(id: string): Promise<void>;
  /** The last lines, oldest first; with `follow` it goes on until the signal or the container's end. */
  logs(id: string, options: { lines: number; follow: boolean; signal?: AbortSignal }): AsyncIterable<LogLine[]>;
  /**
   * Gives those of the last `lines` lines whose stamp is not before `since`, in the order in which the engine has written them,
   * which may differ from that of their stamps by moments. Ends early, without an error, when the signal aborts.
   */
  linesSince(
    id: string,
    options: { lines: number; since: string | undefined; signal: AbortSignal },
  ): AsyncIterable<StampedLine[]>;
  /** The variables that the container was given, without those that are its image's own. */
  environment(id: string): Promise<Record<string, string>>;
  /** Runs argv inside the container. Output is cut at 64 KiB. */
  exec(id: string, argv: readonly string[], stdin: string): Promise<{ exitCode: number; output: string }>;
  /** Runs argv inside the container; its standard output, as it comes. @throws SvcError internal when it fails */
  execStream(id: string, argv: readonly string[], stdin?: string): AsyncIterable<Buffer>;
  /** A path inside the container, running or not, volumes included, as a tar stream. @throws SvcError not_found */
  archive(id: string, path: string): AsyncIterable<Buffer>;
  /**
   * Makes the container anew, with new volumes and what `archive` of another host's has given, below this path. `run` starts it.
   * @throws SvcError as `run`; what the archive throws
   */
  makeFrom(spec: ContainerSpec, files: { path: string; archive: AsyncIterable<Uint8Array> }): Promise<void>;
  /**
   * Yields events of containers, from `since` as far as the engine remembers, until the signal or the engine's end. The
   * engine may tell of one kill several times.
   * @throws SvcError engine_unavailable, also when the engine goes meanwhile
   */
  containerEvents(options: { since: Date; signal: AbortSignal }): AsyncIterable<ContainerEvent>;
  /** A container is missing where the kernel's count can't be read from here. */
  processRefusals(): Promise<ProcessRefusals[]>;
  /** The use of each container; those that have ended are missing. */
  usage(): Promise<ContainerUsage[]>;
  /** Where the containers' writable layers and volumes are, as far as they are on this machine's disk. */
  storage(): Promise<StoragePlace[]>;
  /** Purposes of the app's volumes. */
  volumes(app: AppRef): Promise<string[]>;
  removeVolumes(app: AppRef): Promise<void>;
}

export interface Proxy {
  /** Starts the proxy and the name server when they do not answer. @throws SvcError proxy_unavailable */
  ensureRunning(): Promise<void>;
  describe(): Promise<{ reachable: boolean; version: string; internalCaPem: string }>;
  routes(): Promise<Route[]>;
  /** Replaces all of the app's routes in one write that survives a crash; none removes them. */
  setRoutes(appId: string, routes: readonly Route[]): Promise<void>;
  /**
   * Works as `setRoutes`, with routes that are made from the app's current ones. No other change comes between the two;
   * `next` may throw, and then nothing is changed.
   */
  updateRoutes(appId: string, next: (current: readonly Route[]) => readonly Route[]): Promise<void>;
  /** Requests the host through the proxy until the answer comes from the upstream. @throws SvcError route_not_proven */
  prove(host: string, upstream: string, signal: AbortSignal): Promise<void>;
  /**
   * Sets where hosts get their certificates from now on. It survives a restart; the proxy gets a new configuration,
   * which drops connections, only when the policy has changed.
   * @throws SvcError proxy_unavailable
   */
  setCertificatePolicy(policy: CertificatePolicy): Promise<void>;
  /** Reads the state of the host's certificate from the ACME authority. @throws SvcError proxy_unavailable */
  certificate(host: string): Promise<CertificateStatus>;
  /** Requests that the proxy still has open to the upstream. */
  requestsInFlight(upstream: string): Promise<number>;
  /** The same for all upstreams; one without any may be missing. */
  allRequestsInFlight(): Promise<ReadonlyMap<string, number>>;
}

export interface CertificateStatus {
  /** The end of the kept certificate; undefined when there is none. */
  notAfter: Date | undefined;
  /** Why the last order failed; empty when it did not. */
  failure: string;
  /** Which share of orders is used up, when the host waits for that; else empty. */
  usedUp: string;
  /** When the next order is permitted; undefined when it is now. */
  nextOrderAt: Date | undefined;
}

/** Facts about the host for status and for the watermarks that a build must not cross. */
export interface Host {
  memory(): Promise<{ totalBytes: number; availableBytes: number }>;
  disk(
    path: string,
  ): Promise<{ totalBytes: number; availableBytes: number; inodesTotal: number; inodesAvailable: number }>;
  cpu(): Promise<{ cores: number; usedRatio: number; load1m: number }>;
}
