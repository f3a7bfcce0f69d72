import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startOwnEngine, type OwnEngine } from "../support/engine/own-engine.ts";
import { startHost, type InstalledHost } from "../support/platform/installed-host.ts";
import { fetchThroughProxy } from "../support/platform/platform.ts";
import { startPlatformWithGit, type PlatformWithGit } from "../support/platform/platform-with-git.ts";
import { endProcessesOf } from "../support/platform/remove-host.ts";
import { eventually } from "../support/tools/eventually.ts";
import { freePorts } from "../support/tools/free-ports.ts";
import { nodeApp } from "../support/platform/apps.ts";

const FORMER = "0.0.9+000000000000";

let setup: PlatformWithGit;
let engine: OwnEngine;
let host: InstalledHost;
let dataDirectory: string;
let httpsPort: number;

beforeAll(async () => {
  engine = await startOwnEngine({
    images: ["debian:bookworm-slim", "node:22-slim", "caddy:2", "postgres:16"],
    reachable: true,
  });
  setup = await startPlatformWithGit();
  const { platform } = setup;
  const [http, https, agentHttp] = (await freePorts(3)) as [number, number, number];
  httpsPort = https;
  dataDirectory = join(platform.directory, "installed");
  host = await startHost({
    directory: join(platform.directory, "host"),
    settings: {
      SVC_DATA_DIR: dataDirectory,
      SVC_HTTP_PORT: String(http),
      SVC_HTTPS_PORT: String(https),
      SVC_AGENT_HTTP: `127.0.0.1:${agentHttp}`,
      DOCKER_HOST: engine.host,
      SVC_ADDRESS_BLOCK: engine.block,
      SVC_ISOLATION: "off",
      SVC_BUILD_CAPS: "off",
    },
  });
});
afterAll(async () => {
  await host?.stop();
  if (dataDirectory) await endProcessesOf(dataDirectory);
  await setup?.stop();
  await engine?.stop();
});

interface ListedServer {
  name: string;
  linked: boolean;
  agent_version: string;
}

async function server(name: string): Promise<ListedServer | undefined> {
  const servers = JSON.parse(await setup.platform.admin("server", "list", "--json")) as ListedServer[];
  return servers.find((each) => each.name === name);
}

/** The command that `server token` prints for people. */
async function joinCommand(): Promise<string> {
  const printed = await setup.platform.admin("server", "token", "--name", "server-2");
  return printed
    .split("\n")
    .find((line) => line.includes("install-agent.sh"))!
    .trim();
}

test("the command of `server token` makes a host with an operating system alone a server, which serves apps", async () => {
  const { platform } = setup;
  const command = await joinCommand();
  const other = command.replace(/\.[0-9a-f]{64}/, `.${"0".repeat(64)}`);
  await expect(host.sh(other)).rejects.toThrow("is not the control plane that made the token");
  await expect(host.sh(command.replace(/echo "[0-9a-f]{8}/, 'echo "00000000'))).rejects.toThrow("computed checksum");

  expect(await host.sh(command)).toContain("This host is a server of the fleet now");
  expect(await server("server-2")).toMatchObject({ linked: true, agent_version: expect.stringMatching(/^0\.1\.0\+/) });
  // The token was for once, and is nowhere on the host.
  expect(await host.sh("cat /etc/svc/agent.env; ls -l /etc/svc/agent.env /run/svc")).not.toContain("svcjoin_");
  expect(host.log()).not.toContain("svcjoin_");

  const [owner] = JSON.parse(await platform.admin("user", "list", "--json")) as { id: string }[];
  await platform.admin("team", "pools", "--team", owner!.id, "--pools", "default");
  await setup.createApp("shop", nodeApp(), { server: "server-2" });
  expect((await platform.deploy("shop")).deploy).toMatchObject({ status: "success" });
  expect((await fetchShop()).status).toBe(200);
});

function fetchShop(): ReturnType<typeof fetchThroughProxy> {
  const ca = readFileSync(join(dataDirectory, "internal-ca.pem"), "utf8");
  return fetchThroughProxy({ host: `shop.${setup.platform.appsDomain}`, port: httpsPort, path: "/", ca });
}

test("an upgrade replaces the agent while its apps serve, and a second one has nothing to do", async () => {
  const { platform } = setup;
  const { agent_version: current } = (await server("server-2"))!;
  const root = "/opt/svc-agent";
  await host.sh(
    `cd ${root} && mv versions/${current} versions/${FORMER} && ln -sfn versions/${FORMER} current && systemctl restart svc-agent`,
  );
  await eventually(
    () => server("server-2"),
    (found) => found?.linked === true && found.agent_version === FORMER,
    { what: "the host runs the version before", deadlineMs: 60_000 },
  );

  const statuses: number[] = [];
  let isOver = false;
  const serving = (async () => {
    while (!isOver) statuses.push((await fetchShop()).status);
  })();
  const printed = await platform.admin("server", "upgrade", "server-2").finally(() => (isOver = true));
  await serving;
  expect(printed).toContain("Upgraded: 1 of 1.");
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(await server("server-2")).toMatchObject({ linked: true, agent_version: current });
  expect(await host.sh(`ls -A ${root} ${root}/versions; readlink ${root}/current ${root}/former`)).toBe(
    [
      `${root}:\ncurrent\nformer\nrun-agent\nversions\n`,
      `${root}/versions:\n${FORMER}\n${current}`,
      `versions/${current}\nversions/${FORMER}\n`,
    ].join("\n"),
  );
  const again = JSON.parse(await platform.admin("server", "upgrade", "--json")) as { servers: object[] };
  expect(again.servers).toEqual([
    { server: "server-1", left: expect.stringContaining("from the sources") },
    { server: "server-2", left: `runs ${current} already` },
  ]);
  expect((await platform.deploy("shop")).deploy).toMatchObject({ status: "success" });
});
