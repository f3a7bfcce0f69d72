import { mkdtemp, rm } from "node:fs/promises";
import { cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import type Docker from "dockerode";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { create } from "@bufbuild/protobuf";
import { BUILD_PIDS_MAX, createImageBuilder, type ImageBuilderOptions } from "@svc/agent/build/build.ts";
import { createCgroups, type BuildCaps } from "@svc/agent/build/limits/build-cgroup.ts";
import { createDockerEngine } from "@svc/agent/engine/engine.ts";
import { FetchedImages } from "@svc/agent/build/additions/fetched-images.ts";
import { createGit } from "@svc/agent/source/git/git.ts";
import { createHost } from "@svc/agent/host/host.ts";
import { BUILD_SHARE } from "@svc/agent/host/parts.ts";
import type { HostNames } from "@svc/agent/engine/network/host-names.ts";
import type { Engine, OwnedApp } from "@svc/agent/ports.ts";
import { cloneBuild } from "@svc/agent/steps/clone-build.ts";
import type { StepContext } from "@svc/agent/runner/step.ts";
import { CloneBuildSpecSchema } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import type { CloneBuildOutput } from "@svc/shared/gen/svc/agent/v1/events_pb.ts";
import { systemClock } from "@svc/shared/platform/clock.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { silentLogger } from "@svc/shared/platform/logger.ts";
import { createTestEngine, newApp, TEST_BLOCK } from "./docker.ts";
import { startGitHost, type Files } from "../doubles/git-host.ts";
import { createTestStep } from "../agent/step-context.ts";

/** One group of the kernel holds all builds of an engine: these leave those of other test files what they need. */
const AMPLE_CAPS = {
  memoryBytes: Math.floor(totalmem() * BUILD_SHARE),
  cpuMillis: cpus().length * 1000,
  pids: BUILD_PIDS_MAX,
};

export interface PreparedBuild {
  ctx: StepContext;
  app: OwnedApp;
  lines: string[];
  spec: Parameters<typeof cloneBuild.run>[1];
}

export type BuildFields = Omit<MessageInitShape<typeof CloneBuildSpecSchema>, "outbound" | "$typeName"> & {
  outbound?: { allowCidrs?: string[]; caPem?: string };
};

/** A git host, and builds of its repositories by this machine's engine. */
export interface Builds {
  docker: Docker;
  /** The label of what they make. */
  serverId: string;
  names: HostNames;
  dataDirectory: string;
  engineWith(options?: Partial<ImageBuilderOptions>): Engine;
  /** Prepares the files of a new repository. */
  prepare(
    files: Files,
    fields?: BuildFields,
    options?: { engine?: Engine; app?: OwnedApp; signal?: AbortSignal },
  ): Promise<PreparedBuild>;
  cleanUp(): Promise<void>;
}

export async function startBuilds(caps: BuildCaps = AMPLE_CAPS): Promise<Builds> {
  const host = await startGitHost();
  const { docker, serverId, names, cleanUp } = createTestEngine();
  const dataDirectory = await mkdtemp(join(tmpdir(), "svc-build-test-"));

  function engineWith(options: Partial<ImageBuilderOptions> = {}): Engine {
    const build = createImageBuilder({
      docker,
      // Builds of tests lie in folders of their own.
      git: createGit({ dataDirectory: tmpdir(), log: silentLogger }),
      serverId,
      host: createHost(),
      caps,
      names,
      fetchedImages: new FetchedImages({
        docker,
        path: join(dataDirectory, "fetched-images.json"),
        clock: systemClock,
        log: silentLogger,
      }),
      log: silentLogger,
      ...options,
    });
    return createDockerEngine({
      docker: options.docker ?? docker,
      serverId,
      addressBlock: TEST_BLOCK,
      names,
      build,
      log: silentLogger,
    });
  }

  let repositories = 0;
  return {
    docker,
    serverId,
    names,
    dataDirectory,
    engineWith,
    async prepare(files, fields = {}, options = {}) {
      const repository = await host.repository(`app-${(repositories += 1)}`, files);
      const app = options.app ?? newApp();
      const { ctx, lines } = createTestStep({
        app,
        deployId: newId(),
        engine: options.engine ?? engineWith(),
        ...(options.signal ? { signal: options.signal } : {}),
      });
      const outbound = { allowCidrs: ["127.0.0.0/8"], caPem: host.caPem, dnsServers: [], ...fields.outbound };
      const spec = create(CloneBuildSpecSchema, { repoUrl: repository.url, timeLimitSeconds: 60, ...fields, outbound });
      const git = createGit({ dataDirectory, log: silentLogger });
      return { ctx: { ...ctx, git, dataDirectory }, app, lines, spec };
    },
    async cleanUp() {
      await cleanUp();
      await host.close();
      await rm(dataDirectory, { recursive: true, force: true });
      // The group is the engine's, and other builds on this machine run in it too.
      const usual = "/docker/buildkit";
      const group = { paths: { memory: usual, cpu: usual, pids: usual }, isShared: true };
      const all = { memoryBytes: totalmem(), cpuMillis: cpus().length * 1000, pids: 32_768 };
      await createCgroups().cap(group, all);
    },
  };
}

export async function run({ ctx, spec }: PreparedBuild): Promise<CloneBuildOutput> {
  const result = await cloneBuild.run(ctx, spec);
  if (result.case !== "cloneBuild") throw new Error(`got ${result.case}`);
  return result.value as CloneBuildOutput;
}

export const dockerfile = (...lines: string[]): Files => ({
  Dockerfile: ["FROM debian:bookworm-slim", ...lines, ""].join("\n"),
});
