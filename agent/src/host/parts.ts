import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { systemClock } from "@svc/shared/platform/clock.ts";
import type { SvcError } from "@svc/shared/errors.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { setKernelLimits } from "../bounds/kernel-limits.ts";
import { resolveBaseImage, type AgentConfig } from "../config.ts";
import { BUILD_PIDS_MAX, createImageBuilder } from "../build/build.ts";
import { connectDocker } from "../engine/connection.ts";
import { createDockerEngine } from "../engine/engine.ts";
import { FetchedImages } from "../build/additions/fetched-images.ts";
import { loadHostNames } from "../engine/network/host-names.ts";
import { createGit } from "../source/git/git.ts";
import { createHost } from "./host.ts";
import { createProxy } from "../edge/proxy.ts";
import type { StepPorts, StepTable } from "../runner/step-runner.ts";
import { cloneBuild } from "../steps/clone-build.ts";
import { deployContainer } from "../steps/deploy-container.ts";
import { provisionDb } from "../steps/provision-db.ts";
import { proxyRoute } from "../steps/proxy-route.ts";

/** The parts that the agent drives, and the steps that drive them. */
export interface HostParts {
  ports: StepPorts;
  steps: StepTable;
  /** Keeps apps from one another; tells when it can't; resolves when the signal aborts. */
  keepAppsApart: (signal: AbortSignal, onFailure: (error: SvcError) => void) => Promise<void>;
  /** Restarts the proxy when it died; resolves when the signal aborts. */
  proxySupervision: (signal: AbortSignal) => Promise<void>;
  /** Ends the proxy and the name server, once nobody supervises them any more. */
  shutDownProxy: () => Promise<void>;
}

/** The share of the host's memory and CPUs that builds may have unless the operator says otherwise: apps live off the rest. */
export const BUILD_SHARE = 0.75;

/** The real engine, proxy, git and machine of this host, and the real steps. */
export async function createHostParts(config: AgentConfig, serverId: string, log: Logger): Promise<HostParts> {
  const { addressBlock, dataDirectory, httpPort, httpsPort, caddyAdmin } = config;
  const host = createHost();
  const names = await loadHostNames(dataDirectory);
  const docker = connectDocker(config.dockerHost);
  const resolveImage = (name: string): string => resolveBaseImage(config.baseImages, name);
  const caps = {
    memoryBytes: config.buildMemoryBytes ?? Math.floor(totalmem() * BUILD_SHARE),
    cpuMillis: config.buildCpuMillis ?? Math.floor(cpus().length * 1000 * BUILD_SHARE),
    pids: BUILD_PIDS_MAX,
  };
  const git = createGit({ dataDirectory, log });
  const build = createImageBuilder({
    docker,
    git,
    serverId,
    host,
    caps,
    areCapsRequired: config.areBuildCapsRequired,
    names,
    fetchedImages: new FetchedImages({
      docker,
      path: join(dataDirectory, "fetched-images.json"),
      clock: systemClock,
      log,
    }),
    resolveImage,
    log,
  });
  if (!config.isIsolationRequired) log.warn("deploys go on where apps can't be kept apart (SVC_ISOLATION=off)");
  if (!config.areBuildCapsRequired) log.warn("builds run without caps where these can't be set (SVC_BUILD_CAPS=off)");
  const engine = createDockerEngine({
    docker,
    serverId,
    addressBlock,
    isIsolationRequired: config.isIsolationRequired,
    names,
    resolveImage,
    build,
    layerBytesMax: config.appDiskBytes,
    log,
  });
  void engine
    .hideImageNames()
    .catch((err: unknown) => log.warn({ err }, "images have their names until the engine answers"));
  await setKernelLimits(log);
  const proxy = createProxy({ dataDirectory, httpPort, httpsPort, adminSocket: caddyAdmin, log });
  return {
    ports: { git, engine, proxy, host },
    steps: {
      provision_db: provisionDb,
      clone_build: cloneBuild,
      deploy_container: deployContainer,
      proxy_route: proxyRoute,
    },
    keepAppsApart: (signal, onFailure) => engine.keepAppsApart(signal, onFailure),
    proxySupervision: (signal) => proxy.supervise(signal),
    shutDownProxy: () => proxy.shutDown(),
  };
}
