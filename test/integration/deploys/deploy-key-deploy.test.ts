import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startPlatform, type Platform } from "../../support/platform/platform.ts";
import { startSshGitHost, type SshGitHost } from "../../support/doubles/ssh-git-host.ts";

let host: SshGitHost;
let platform: Platform;
let directory: string;

beforeAll(async () => {
  host = await startSshGitHost();
  directory = await mkdtemp(join(tmpdir(), "svc-git-hosts-"));
  const file = join(directory, "git-hosts.json");
  await writeFile(file, JSON.stringify([{ host: "git.test", ssh: host.url, known_hosts: [host.hostKey] }]));
  platform = await startPlatform({
    controlPlane: { SVC_GIT_HOSTS_FILE: file, SVC_OUTBOUND_ALLOW: "127.0.0.0/8,::1/128" },
  });
}, 60_000);
afterAll(async () => {
  await platform?.stop();
  await host?.close();
  await rm(directory, { recursive: true, force: true });
});

test("an app of a private repository is deployed with its deploy key, which no file of the agent's holds afterwards", async () => {
  const sha = await host.repository("you/private", { "index.html": "<p>private</p>\n" });
  const fields = { name: "private", repo_url: "https://git.test/you/private" };
  expect((await platform.api("POST", "/api/apps", fields)).status).toBe(201);
  const { body } = await platform.api("POST", "/api/apps/private/deploy-key");
  const { public_key: publicKey } = body as { public_key: string };

  const refused = await platform.deploy("private");
  expect(refused.deploy).toMatchObject({ status: "failed", error: expect.stringMatching(/read-only deploy key/) });

  await host.authorize([publicKey]);
  const { deploy, steps } = await platform.deploy("private");
  expect(deploy).toMatchObject({ status: "success", commit_sha: sha });
  expect((await platform.fetchApp("private")).body).toContain("private");
  expect(JSON.stringify(steps)).not.toContain("PRIVATE KEY");

  const holders: string[] = [];
  for (const entry of await readdir(platform.agentDataDir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.parentPath.includes("identity") || entry.parentPath.includes("caddy")) continue;
    const text = await readFile(join(entry.parentPath, entry.name), "latin1").catch(() => "");
    if (text.includes("OPENSSH PRIVATE KEY")) holders.push(entry.name);
  }
  expect(holders).toEqual([]);
  for (const log of [platform.agent.log, platform.controlPlane.log]) {
    expect(await readFile(log, "utf8")).not.toContain("OPENSSH PRIVATE KEY");
  }
}, 180_000);
