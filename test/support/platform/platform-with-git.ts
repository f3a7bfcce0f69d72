import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startGitHost, type Files, type GitHost, type TestRepository } from "../doubles/git-host.ts";
import { startPlatform, type Platform, type PlatformOptions } from "./platform.ts";

export interface PlatformWithGit {
  platform: Platform;
  git: GitHost;
  /** Makes the repository and registers the app of the same name. */
  createApp(name: string, files: Files, fields?: Record<string, unknown>): Promise<TestRepository>;
  stop(): Promise<void>;
}

/** A platform, and a git host on loopback that its policy allows it to reach. */
export async function startPlatformWithGit(options: PlatformOptions = {}): Promise<PlatformWithGit> {
  const git = await startGitHost();
  const directory = mkdtempSync(join(tmpdir(), "svc-git-ca-"));
  const caFile = join(directory, "ca.pem");
  writeFileSync(caFile, git.caPem);
  const policy = { SVC_OUTBOUND_ALLOW: "127.0.0.0/8,::1/128", SVC_OUTBOUND_CA_FILE: caFile };
  const platform = await startPlatform({ ...options, controlPlane: { ...policy, ...options.controlPlane } });
  return {
    platform,
    git,
    async createApp(name, files, fields = {}) {
      const repository = await git.repository(name, files);
      const answer = await platform.api("POST", "/api/apps", { name, repo_url: repository.url, ...fields });
      if (answer.status !== 201) throw new Error(`create ${name}: ${answer.status} ${JSON.stringify(answer.body)}`);
      return repository;
    },
    async stop() {
      await platform.stop();
      await git.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
