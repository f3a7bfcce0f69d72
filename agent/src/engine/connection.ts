import Docker from "dockerode";

/**
 * The newest API version that this code was written against. Engines that know it, or are made to serve it, answer as
 * we expect whatever they were upgraded to; Engine 29 serves nothing older, Engine 20.10 ends at 1.41.
 */
const API_VERSION_MAX = "1.44";

const SOCKET_DEFAULT = "/var/run/docker.sock";

/** A client for `DOCKER_HOST` (unix://path or tcp://host:port); undefined for the local socket. Connects on first use. */
export function connectDocker(dockerHost: string | undefined): Docker {
  if (dockerHost === undefined) return new Docker({ socketPath: SOCKET_DEFAULT });
  const url = new URL(dockerHost);
  if (url.protocol === "unix:") return new Docker({ socketPath: url.pathname || SOCKET_DEFAULT });
  return new Docker({ protocol: "http", host: url.hostname, port: url.port || 2375 });
}

/** Sets the version that every further request is made in. Asked without a version, which each engine answers. */
export async function negotiateApiVersion(docker: Docker): Promise<string> {
  Object.assign(docker.modem, { version: undefined });
  const { ApiVersion, MinAPIVersion } = await docker.version();
  const version = [API_VERSION_MAX, ApiVersion].toSorted(compareVersions)[0] ?? ApiVersion;
  const served = [version, MinAPIVersion ?? version].toSorted(compareVersions).at(-1) ?? version;
  Object.assign(docker.modem, { version: `v${served}` });
  return served;
}

function compareVersions(a: string, b: string): number {
  const [majorA = 0, minorA = 0] = a.split(".").map(Number);
  const [majorB = 0, minorB = 0] = b.split(".").map(Number);
  return majorA - majorB || minorA - minorB;
}
