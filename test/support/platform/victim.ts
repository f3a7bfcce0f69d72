import Docker from "dockerode";
import { expect } from "vitest";
import { nodeApp } from "./apps.ts";
import { eventually } from "../tools/eventually.ts";
import type { Files } from "../doubles/git-host.ts";
import type { DeployAnswer, PlatformOptions } from "./platform.ts";
import { startPlatformWithGit, type PlatformWithGit } from "./platform-with-git.ts";

export interface Victim {
  setup: PlatformWithGit;
  /** Commits the files as the app's next version, deploys it, and puts the live version back. */
  deployOf(files: Files): Promise<DeployAnswer>;
  /** The deploy failed at the step, says so, and has left nothing but the live release and a free lock. */
  expectCleanFailure(answer: DeployAnswer, step: string, says: RegExp): Promise<void>;
}

const DEADLINE_MS = 90_000;

/**
 * The app `victim`, live, whose next deploy goes wrong in every way that users find. Each must end in `failed` in its
 * time, with a sentence that says what to do, the lock free, nothing half-made left, and the live release still serving.
 */
export async function startVictim(options: PlatformOptions = {}): Promise<Victim> {
  const docker = new Docker();
  const live = nodeApp('return "the live release"');
  const setup = await startPlatformWithGit(options);
  const { platform } = setup;
  const repository = await setup.createApp("victim", live);
  expect((await platform.deploy("victim")).deploy.status).toBe("success");
  const containersBefore = await containers();

  async function containers(): Promise<string[]> {
    const { rows } = await platform.database.query("select id from apps where name = 'victim'");
    const filters = { label: [`svc.app=${rows[0]!["id"]}`] };
    return (await docker.listContainers({ all: true, filters })).map((one) => one.Id).toSorted();
  }

  return {
    setup,
    async deployOf(files) {
      await repository.git("rm", "-r", "--quiet", ".");
      await repository.commit(files);
      try {
        const { body } = await platform.api("POST", "/api/apps/victim/deploy", {});
        return await platform.deployEnd((body as { deploy_id: string }).deploy_id, DEADLINE_MS);
      } finally {
        await repository.git("rm", "-r", "--quiet", ".");
        await repository.commit(live);
      }
    },
    async expectCleanFailure({ deploy, steps }, step, says) {
      expect(deploy.status).toBe("failed");
      expect(deploy.error).toMatch(says);
      const failed = steps.find((one) => one.status === "failed");
      expect(failed).toMatchObject({ step_name: step, error: deploy.error });
      expect(steps.slice(steps.indexOf(failed!) + 1).every((one) => one.status === "skipped")).toBe(true);
      expect(await platform.fetchApp("victim")).toMatchObject({ status: 200, body: "the live release" });
      expect(await containers()).toEqual(containersBefore);
      const images = await docker.listImages({ filters: { label: [`svc.deploy=${deploy.id}`] } });
      expect(images).toEqual([]);
      await eventually(
        async () => JSON.parse(await platform.admin("server", "status", "server-1", "--json")) as { lock?: unknown },
        ({ lock }) => lock === undefined,
        { what: "the lock is free" },
      );
    },
  };
}
