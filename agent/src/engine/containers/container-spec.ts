import { GRACE_SECONDS } from "@svc/shared/rules/stop-grace.ts";
import { SvcError } from "@svc/shared/errors.ts";
import type { ContainerCreateOptions } from "dockerode";
import type { AppRef, ContainerRole, ContainerSpec } from "../../ports.ts";
import { containerLabels } from "@svc/shared/rules/labels.ts";

/** The facts that the engine side adds to a spec. */
export interface Placement {
  serverId: string;
  /** Fixed for the container's life. */
  address: string;
  image: {
    /** The engine's. */
    id: string;
    /** Whether its processes begin as root. */
    startsAsRoot: boolean;
  };
}

/** A fork bomb ends here and not in the host's table; a large Node or Rails app uses under 100. */
export const PIDS_MAX = 512;
/**
 * A container that uses its share of the processor up waits for the rest of the period, and others wait while it uses it: on all processors
 * at once, with 512 processes. The engine's own 100 ms let others wait for half of that (decision 014).
 */
const CPU_PERIOD_US = 10_000;

/**
 * Ten thousand connections and the files beside them. The engine's own default differs from host to host, and one that
 * runs inside a container of its own may not raise its limit (20,000 there is common).
 */
const OPEN_FILES_MAX = 16_384;

export const ULIMITS = [
  { Name: "nofile", Soft: OPEN_FILES_MAX, Hard: OPEN_FILES_MAX },
  // A crash loop would fill the disk with copies of the app's memory.
  { Name: "core", Soft: 0, Hard: 0 },
];

/** Named, so that the host's default cannot take the logs away or let them fill the disk. */
export const LOGGING = { driver: "json-file", options: { "max-size": "10m", "max-file": "3" } } as const;

/** Points of 1000. When memory runs out, the kernel takes an app first, then a database, and a daemon of ours (0) last. */
const OOM_SCORE: Readonly<Record<ContainerRole, number>> = { app: 500, database: 250 };

/** PostgreSQL's fast shutdown; on SIGTERM it would wait until every client has left by itself. */
const DATABASE_STOP_SIGNAL = "SIGINT";

/** PostgreSQL's parallel queries meet in /dev/shm, and fail when the engine's 64 MiB are used up. */
const DATABASE_SHM_BYTES = 128 * 1024 * 1024;

/**
 * Programs whose file carries this capability, such as the official image's Caddy, cannot even be started where it is
 * out of reach. One that has another user than root does not gain it either: no-new-privileges keeps it from that.
 */
const APP_CAPABILITIES = ["NET_BIND_SERVICE"] as const;

/**
 * Capabilities that the images of nginx, Apache and the like need at their start: to make their folders a user's, and
 * to become that user. Less than half of the engine's default; without a way to raw sockets, devices or other
 * processes' files.
 */
const ROOT_APP_CAPABILITIES = ["CHOWN", "DAC_OVERRIDE", "FOWNER", "KILL", "SETGID", "SETUID"] as const;

export function capabilitiesOf({ role, capabilities }: ContainerSpec, startsAsRoot: boolean): string[] {
  if (role !== "app") return [...capabilities];
  return [...capabilities, ...APP_CAPABILITIES, ...(startsAsRoot ? ROOT_APP_CAPABILITIES : [])];
}

/** @throws SvcError invalid_request */
export function requireOne(copies = 1): void {
  if (copies === 1) return;
  throw new SvcError(
    "invalid_request",
    `The app asks for ${copies} copies, and its server is one machine, which runs 1. Set replicas to 1, or move it to a cluster.`,
  );
}

export function networkNameOf(app: AppRef): string {
  return `svc-${app.id}`;
}

export function volumeName(app: AppRef, purpose: string): string {
  return `svc-${app.id}-${purpose}`;
}

/**
 * Is for people who look at the engine; nothing is found by it. The end of a UUID v7 is random (its start is the time),
 * so that apps of one name on several agents of one engine do not meet.
 */
export function containerName(spec: Pick<ContainerSpec, "app" | "role" | "deployId">): string {
  return `svc-${spec.app.name}-${spec.deployId?.slice(-12) ?? `${spec.role}-${spec.app.id.slice(-12)}`}`;
}

/** The body of the Engine API's `POST /containers/create`, name included. */
export function containerBody(spec: ContainerSpec, placement: Placement): ContainerCreateOptions {
  const network = networkNameOf(spec.app);
  return {
    name: containerName(spec),
    Image: placement.image.id,
    ...(spec.command === undefined ? {} : { Cmd: [...spec.command] }),
    Env: Object.entries(spec.env).map(([name, value]) => `${name}=${value}`),
    Labels: { ...containerLabels(placement.serverId, spec) },
    ...(spec.role === "database" ? { StopSignal: DATABASE_STOP_SIGNAL } : {}),
    StopTimeout: GRACE_SECONDS[spec.role],
    // An image's own check would be started by the engine, as often as the image says; the agent looks by itself.
    Healthcheck: { Test: ["NONE"] },
    HostConfig: {
      NetworkMode: network,
      // A process of our own as number 1: it reaps children and hands SIGTERM on to apps that are no init themselves.
      Init: true,
      // It comes back by itself only once it has proven that it serves: see Engine.keepRunning.
      RestartPolicy: { Name: "no" },
      Memory: spec.memoryBytes,
      // The same number means no swap: an app that needs more ends, and does not slow the host down.
      MemorySwap: spec.memoryBytes,
      CpuPeriod: CPU_PERIOD_US,
      CpuQuota: (spec.cpuMillis * CPU_PERIOD_US) / 1_000,
      PidsLimit: PIDS_MAX,
      OomScoreAdj: OOM_SCORE[spec.role],
      CapDrop: ["ALL"],
      CapAdd: capabilitiesOf(spec, placement.image.startsAsRoot),
      SecurityOpt: ["no-new-privileges"],
      ...(spec.role === "database" ? { ShmSize: DATABASE_SHM_BYTES } : {}),
      Ulimits: ULIMITS,
      LogConfig: { Type: LOGGING.driver, Config: LOGGING.options },
      Mounts: Object.entries(spec.volumes).map(([target, purpose]) => ({
        Type: "volume",
        Source: volumeName(spec.app, purpose),
        Target: target,
      })),
    },
    NetworkingConfig: {
      EndpointsConfig: {
        [network]: { IPAMConfig: { IPv4Address: placement.address }, Aliases: [...spec.aliases] },
      },
    },
  };
}
