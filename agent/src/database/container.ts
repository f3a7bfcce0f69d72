import { randomBytes } from "node:crypto";
import { DATABASE_MEMORY_BYTES } from "@svc/shared/spec/service-databases.ts";
import type { AppRef, ContainerSpec } from "../ports.ts";

/** The name under which the app reaches its database on its own network. */
export const DATABASE_HOST = "database";
export const DATABASE_PORT = 5432;

const CPU_MILLIS = 1000;

/** An eighth of the memory for the shared cache, and no more connections than fit into the rest at 4 MiB of work each. */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: "*",
  unix_socket_directories: "/var/run/postgresql",
  shared_buffers: "64MB",
  effective_cache_size: "256MB",
  maintenance_work_mem: "32MB",
  max_connections: "60",
};

/**
 * A place of our own, the same for every version (the image's own differs since 18), so that a server that meets the
 * data of another version says so instead of beginning anew beside it.
 */
const VOLUME_MOUNT = "/var/lib/svc-database";
/** Where the cluster is in the container. */
export const DATABASE_DIRECTORY = `${VOLUME_MOUNT}/data`;
/** Names the volume. */
export const DATABASE_PURPOSE = "database";

/**
 * Capabilities that the image's entry point needs while it is root, to own its directory and to become the user
 * postgres; and what the init, which stays root, needs to hand a stop on to that user's server, which is killed
 * otherwise.
 */
const CAPABILITIES = ["CHOWN", "DAC_OVERRIDE", "FOWNER", "KILL", "SETGID", "SETUID"];

export function databaseContainer(app: AppRef, version: string): ContainerSpec {
  return {
    app,
    role: "database",
    deployId: undefined,
    release: version,
    image: `postgres:${version}`,
    command: ["postgres", ...Object.entries(SETTINGS).flatMap(([name, value]) => ["-c", `${name}=${value}`])],
    // The superuser enters by the local socket alone: nobody ever knows its password.
    env: {
      PGDATA: DATABASE_DIRECTORY,
      POSTGRES_PASSWORD: randomBytes(32).toString("hex"),
      POSTGRES_INITDB_ARGS: "--auth-host=scram-sha-256",
    },
    port: DATABASE_PORT,
    memoryBytes: DATABASE_MEMORY_BYTES,
    cpuMillis: CPU_MILLIS,
    aliases: [DATABASE_HOST],
    volumes: { [VOLUME_MOUNT]: DATABASE_PURPOSE },
    capabilities: CAPABILITIES,
  };
}
