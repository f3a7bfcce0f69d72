import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestRepository } from "../doubles/git-host.ts";
import { startPlatformWithGit, type PlatformWithGit } from "../platform/platform-with-git.ts";
import type { PlatformOptions } from "../platform/platform.ts";
import type { LoadTarget } from "./connections.ts";
import { loadedApp, steadyApp } from "./load-apps.ts";
import { startMixedLoad, type MixedLoad } from "./mixed-load.ts";

/** A platform with an app that is loaded while it changes, and one that holds streams and never changes. */
export interface LoadedPlatform {
  setup: PlatformWithGit;
  startLoad(perSecond: number, slowEveryMs: number): Promise<MixedLoad>;
  /** A new commit, built and switched to. */
  redeploy(): Promise<void>;
  /** A commit whose app ends at once. */
  failedDeploy(): Promise<void>;
  rollback(): Promise<void>;
  restartAgent(signal: "SIGTERM" | "SIGKILL"): Promise<void>;
}

export async function startLoadedPlatform(options: PlatformOptions = {}): Promise<LoadedPlatform> {
  const setup = await startPlatformWithGit(options);
  const { platform } = setup;
  let commits = 0;
  let repository: TestRepository;

  async function deploy(expected: "success" | "failed", app = "busy"): Promise<void> {
    const { deploy: end } = await platform.deploy(app);
    if (end.status !== expected) throw new Error(`deploy of ${app}: ${end.status}, ${end.error ?? "no error"}`);
  }

  function targetOf(app: string): LoadTarget {
    const ca = readFileSync(join(platform.agentDataDir, "internal-ca.pem"), "utf8");
    return { host: `${app}.${platform.appsDomain}`, port: platform.httpsPort, ca };
  }

  try {
    repository = await setup.createApp("busy", loadedApp(`commit ${commits++}`));
    await setup.createApp("steady", steadyApp());
    await deploy("success");
    await deploy("success", "steady");
  } catch (error) {
    await setup.stop();
    throw error;
  }
  return {
    setup,
    startLoad: (perSecond, slowEveryMs) =>
      startMixedLoad({ target: targetOf("busy"), steady: targetOf("steady"), perSecond, slowEveryMs }),
    async redeploy() {
      await repository.commit(loadedApp(`commit ${commits++}`));
      await deploy("success");
    },
    async failedDeploy() {
      await repository.commit({ "server.js": `process.exit(1); // ${commits++}` });
      await deploy("failed");
    },
    async rollback() {
      const { status, body } = await platform.api("POST", "/api/apps/busy/rollback", {});
      if (status !== 200) throw new Error(`rollback: ${status} ${JSON.stringify(body)}`);
    },
    async restartAgent(signal) {
      await platform.agent.stop(signal);
      await platform.agent.start();
    },
  };
}
