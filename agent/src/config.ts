import { join } from "node:path";
import { EnvReader, parseHostPort, type HostPort } from "@svc/shared/platform/env.ts";
import { forbiddenReason } from "@svc/shared/net/public-address.ts";
import {
  formatAddress,
  formatCidr,
  lastAddressOf,
  NETWORK_PREFIX,
  parseCidr,
  type Cidr,
} from "./engine/network/address-block.ts";
import { DEFAULT_DISK_LIMITS } from "./engine/disk-limits.ts";

/** Where a host gets the official base images: from there, behind a mirror's prefix, or one by one. */
export type BaseImages = { prefix: string } | { names: Readonly<Record<string, string>> };

/** The agent's environment. */
export interface AgentConfig {
  controlPlane: HostPort;
  joinToken: string | undefined;
  /** Undefined: the agent dials out. */
  listen: HostPort | undefined;
  dataDirectory: string;
  /** unix://path or tcp://host:port; undefined for the local socket. */
  dockerHost: string | undefined;
  /** What the engine drives: its own machine, or the swarm that it is a manager of. */
  engine: "single" | "swarm";
  /** A file that says which registry a swarm's machines fetch images from; undefined for one that the agent runs. */
  registryFile: string | undefined;
  /** Path of the unix socket of a Caddy; undefined for one in the data directory, started by the agent. */
  caddyAdmin: string | undefined;
  httpPort: number;
  httpsPort: number;
  baseImages: BaseImages;
  /** Caps for a build; undefined for three quarters of the host. */
  buildMemoryBytes: number | undefined;
  buildCpuMillis: number | undefined;
  /** Whether builds are refused where their caps can't be set. */
  areBuildCapsRequired: boolean;
  /** Whether deploys are refused where the routing rules between apps can't be set. */
  isIsolationRequired: boolean;
  /** Bytes of the disk that the writable layer of an app's container may take, and the volume of a database. */
  appDiskBytes: number;
  databaseDiskBytes: number;
  /** Apps' networks are cut from it, and apps reach nothing else in it. */
  addressBlock: Cidr;
  /** Where /healthz, /readyz and /metrics are. */
  http: HostPort;
}

/**
 * @returns the configuration, and the variables that nobody knows
 * @throws EnvError naming the variable, what it was and what is allowed
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): {
  config: AgentConfig;
  unknownVariables: string[];
} {
  const reader = new EnvReader(env);
  const port = { min: 1, max: 65535 };
  const config: AgentConfig = {
    controlPlane: reader.parsed("SVC_CONTROL_PLANE", "https://host:port", parseHttpsUrl) ?? {
      host: "127.0.0.1",
      port: 8443,
    },
    joinToken: reader.text("SVC_JOIN_TOKEN"),
    listen: reader.address("SVC_AGENT_LISTEN"),
    dataDirectory: reader.parsed("SVC_DATA_DIR", "an absolute path", parsePath) ?? homeDirectory(env),
    dockerHost: reader.parsed("DOCKER_HOST", "unix:///path or tcp://host:port", parseDockerHost),
    engine: reader.parsed("SVC_ENGINE", "single or swarm", parseEngine) ?? "single",
    registryFile: reader.parsed("SVC_REGISTRY_FILE", "an absolute path", parsePath),
    caddyAdmin: reader.parsed("SVC_CADDY_ADMIN", "unix:///path or an absolute path", parseSocketPath),
    httpPort: reader.integer("SVC_HTTP_PORT", port) ?? 80,
    httpsPort: reader.integer("SVC_HTTPS_PORT", port) ?? 443,
    baseImages: reader.parsed("SVC_BASE_IMAGES", BASE_IMAGES_ALLOWED, parseBaseImages) ?? { names: {} },
    buildMemoryBytes: reader.parsed("SVC_BUILD_MEMORY", "a number with m or g, such as 2g", parseMemory),
    buildCpuMillis: reader.parsed("SVC_BUILD_CPUS", "a number above 0, such as 1.5", parseCpus),
    areBuildCapsRequired: reader.parsed("SVC_BUILD_CAPS", ON_OR_OFF, parseOnOrOff) ?? true,
    isIsolationRequired: reader.parsed("SVC_ISOLATION", ON_OR_OFF, parseOnOrOff) ?? true,
    appDiskBytes: reader.parsed("SVC_APP_DISK", DISK_ALLOWED, parseMemory) ?? DEFAULT_DISK_LIMITS.appBytes,
    databaseDiskBytes:
      reader.parsed("SVC_DATABASE_DISK", DISK_ALLOWED, parseMemory) ?? DEFAULT_DISK_LIMITS.databaseBytes,
    addressBlock: reader.parsed("SVC_ADDRESS_BLOCK", ADDRESS_BLOCK_ALLOWED, parseAddressBlock) ?? ADDRESS_BLOCK,
    http: reader.address("SVC_AGENT_HTTP") ?? { host: "127.0.0.1", port: 9180 },
  };
  return { config, unknownVariables: reader.unknown("SVC_") };
}

function homeDirectory(env: Readonly<Record<string, string | undefined>>): string {
  return join(env["HOME"] || "/root", ".svc", "agent");
}

function parseHttpsUrl(value: string): HostPort | undefined {
  if (!URL.canParse(value)) return undefined;
  const url = new URL(value);
  const isBare = url.pathname === "/" && !url.search && !url.hash && !url.username && !url.password;
  if (url.protocol !== "https:" || !isBare) return undefined;
  return parseHostPort(`${url.hostname}:${url.port || 443}`);
}

function parsePath(value: string): string | undefined {
  return value.startsWith("/") ? value : undefined;
}

function parseEngine(value: string): AgentConfig["engine"] | undefined {
  return value === "single" || value === "swarm" ? value : undefined;
}

function parseSocketPath(value: string): string | undefined {
  return parsePath(value.replace(/^unix:(\/\/)?/, ""));
}

function parseDockerHost(value: string): string | undefined {
  return /^(unix:\/\/\/.+|tcp:\/\/[^/\s]+)$/.test(value) && URL.canParse(value) ? value : undefined;
}

/** 10.210.0.0/16: private, and away from what engines, clouds and home routers choose by themselves. */
const ADDRESS_BLOCK: Cidr = parseCidr("10.210.0.0/16")!;

const ADDRESS_BLOCK_ALLOWED = `a private IPv4 network with a prefix of at most ${NETWORK_PREFIX}, from its first address, such as 10.210.0.0/16`;

function parseAddressBlock(value: string): Cidr | undefined {
  const block = parseCidr(value);
  if (block === undefined || formatCidr(block) !== value) return undefined;
  const ends = [formatAddress(block.first), lastAddressOf(block)];
  const isPrivate = ends.every((address) => forbiddenReason(address, []) === "is private");
  return isPrivate && block.prefix <= NETWORK_PREFIX ? block : undefined;
}

const BASE_IMAGES_ALLOWED = 'a prefix such as mirror.example/library, or JSON such as {"node:22-slim": "my/node:22"}';

/** A reference to an image, as far as a prefix or a name can be told from a mistake. */
const IMAGE = /^[a-z0-9][A-Za-z0-9._:/@-]*$/;

function parseBaseImages(value: string): BaseImages | undefined {
  if (!value.trimStart().startsWith("{")) return IMAGE.test(value) ? { prefix: value.replace(/\/$/, "") } : undefined;
  try {
    const names = Object.entries(JSON.parse(value) as Record<string, unknown>);
    const fits = names.every(([from, to]) => IMAGE.test(from) && typeof to === "string" && IMAGE.test(to));
    return fits ? { names: Object.fromEntries(names.map(([from, to]) => [from, String(to)])) } : undefined;
  } catch {
    return undefined;
  }
}

/** Where this host gets an official base image. */
export function resolveBaseImage(images: BaseImages, officialName: string): string {
  return "prefix" in images ? `${images.prefix}/${officialName}` : (images.names[officialName] ?? officialName);
}

const DISK_ALLOWED = "a number with m or g, such as 2g";

/** Takes values as in a deploy spec's `resources`. */
function parseMemory(value: string): number | undefined {
  const match = /^([0-9]{1,9})(m|g)$/.exec(value);
  const bytes = match ? Number(match[1]) * (match[2] === "g" ? 1024 ** 3 : 1024 ** 2) : 0;
  return bytes > 0 ? bytes : undefined;
}

const ON_OR_OFF = "on or off";

function parseOnOrOff(value: string): boolean | undefined {
  return value === "on" || value === "off" ? value === "on" : undefined;
}

function parseCpus(value: string): number | undefined {
  const millis = /^[0-9]{1,4}(\.[0-9]{1,3})?$/.test(value) ? Math.round(Number(value) * 1000) : 0;
  return millis > 0 ? millis : undefined;
}
