import { beforeEach, expect, test, vi } from "vitest";
import type { Api, Deploy, NewApp, Step } from "./api.ts";
import { deployApp } from "./deploy-app.ts";

const app: NewApp = { name: "hello", repo_url: "https://localhost:1/hello.git", needs_database: true };
const success: Deploy = { id: "d2", status: "success", created_at: "2026-01-01T00:00:00Z" };

/** An API whose app is new and whose deploy succeeds, unless a part says otherwise. */
function fakeApi(parts: Partial<Api>): Api {
  return {
    keyWorks: async () => true,
    apps: async () => [],
    createApp: async () => ({ name: "hello", git_repo: app.repo_url, url: "https://hello.apps.localhost" }),
    deploy: async () => "d2",
    deploys: async () => [],
    readDeploy: async () => ({ deploy: success, steps: [] }),
    ...parts,
  };
}

beforeEach(() => {
  vi.spyOn(process.stdout, "write").mockReturnValue(true);
});

test("an app that exists is deployed again, not made again", async () => {
  const createApp = vi.fn<Api["createApp"]>();
  const apps = async (): ReturnType<Api["apps"]> => [{ name: "hello", git_repo: app.repo_url, url: "" }];
  await deployApp(fakeApi({ apps, createApp }), app);
  expect(createApp).not.toHaveBeenCalled();
});

test("a queued deploy is followed once it runs, not the one before it", async () => {
  const old: Deploy = { ...success, id: "d1" };
  const deploys = vi
    .fn<Api["deploys"]>()
    .mockResolvedValueOnce([old])
    .mockResolvedValueOnce([old])
    .mockResolvedValue([success]);
  const readDeploy = vi.fn<Api["readDeploy"]>().mockResolvedValue({ deploy: success, steps: [] });
  await deployApp(fakeApi({ deploy: async () => "queued", deploys, readDeploy }), app);
  expect(readDeploy).toHaveBeenCalledWith("d2");
});

test("a deploy of a run that was killed is waited for", async () => {
  const deploy = vi.fn<Api["deploy"]>().mockResolvedValueOnce("in_progress").mockResolvedValue("d2");
  await deployApp(fakeApi({ deploy }), app);
  expect(deploy).toHaveBeenCalledTimes(2);
});

test("a failed deploy tells the step, its error and the end of its output", async () => {
  const step: Step = {
    step_name: "clone_build",
    step_order: 2,
    status: "failed",
    output: "npm ERR!",
    error: "The build failed.",
  };
  const failed = { deploy: { ...success, status: "failed" }, steps: [step] };
  const promise = deployApp(fakeApi({ readDeploy: async () => failed }), app);
  await expect(promise).rejects.toThrow(/failed in clone_build[^]*The build failed\.\nnpm ERR!/);
});

test("an app of the same name from elsewhere is left alone", async () => {
  const apps = async (): ReturnType<Api["apps"]> => [{ name: "hello", git_repo: "https://example.com/x.git", url: "" }];
  await expect(deployApp(fakeApi({ apps }), app)).rejects.toThrow(/deploys from another repository/);
});
