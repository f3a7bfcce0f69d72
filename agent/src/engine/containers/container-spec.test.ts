import { expect, test } from "vitest";
import type { ContainerSpec } from "../../ports.ts";
import { containerBody, containerName } from "./container-spec.ts";

const spec: ContainerSpec = {
  app: { id: "01890a5d-ac96-774b-bcce-b302099a8057", name: "shop" },
  role: "app",
  deployId: "01890a5d-ac96-774b-bcce-b302099a8058",
  release: "v7",
  image: "sha256:abc",
  env: { PORT: "3000", GREETING: "it's $HOME\n" },
  port: 3000,
  memoryBytes: 512 * 1024 * 1024,
  cpuMillis: 1500,
  aliases: [],
  volumes: {},
  capabilities: [],
};
const placement = { serverId: "server-1", address: "10.210.0.16", image: { id: "sha256:abc", startsAsRoot: false } };

test("an app's container is confined, labelled and fixed to its address, and publishes nothing", () => {
  expect(containerBody(spec, placement)).toEqual({
    name: "svc-shop-b302099a8058",
    Image: "sha256:abc",
    Env: ["PORT=3000", "GREETING=it's $HOME\n"],
    Labels: {
      "svc.server": "server-1",
      "svc.app": "01890a5d-ac96-774b-bcce-b302099a8057",
      "svc.app-name": "shop",
      "svc.role": "app",
      "svc.deploy": "01890a5d-ac96-774b-bcce-b302099a8058",
      "svc.release": "v7",
      "svc.port": "3000",
    },
    StopTimeout: 10,
    Healthcheck: { Test: ["NONE"] },
    HostConfig: {
      NetworkMode: "svc-01890a5d-ac96-774b-bcce-b302099a8057",
      Init: true,
      RestartPolicy: { Name: "no" },
      Memory: 536_870_912,
      MemorySwap: 536_870_912,
      CpuPeriod: 10_000,
      CpuQuota: 15_000,
      PidsLimit: 512,
      OomScoreAdj: 500,
      CapDrop: ["ALL"],
      CapAdd: ["NET_BIND_SERVICE"],
      SecurityOpt: ["no-new-privileges"],
      Ulimits: [
        { Name: "nofile", Soft: 16_384, Hard: 16_384 },
        { Name: "core", Soft: 0, Hard: 0 },
      ],
      LogConfig: { Type: "json-file", Config: { "max-size": "10m", "max-file": "3" } },
      Mounts: [],
    },
    NetworkingConfig: {
      EndpointsConfig: {
        "svc-01890a5d-ac96-774b-bcce-b302099a8057": { IPAMConfig: { IPv4Address: "10.210.0.16" }, Aliases: [] },
      },
    },
  });
});

test("a database's container has its command, volume, alias and capabilities, and belongs to no deploy", () => {
  const database: ContainerSpec = {
    ...spec,
    role: "database",
    deployId: undefined,
    release: "16",
    command: ["postgres", "-c", "max_connections=60"],
    aliases: ["database"],
    volumes: { "/var/lib/svc-database": "database" },
    capabilities: ["SETUID"],
  };
  const body = containerBody(database, placement);
  expect(body).toMatchObject({
    name: "svc-shop-database-b302099a8057",
    Cmd: ["postgres", "-c", "max_connections=60"],
    Labels: { "svc.role": "database", "svc.deploy": "", "svc.release": "16" },
    StopSignal: "SIGINT",
    HostConfig: {
      CapAdd: ["SETUID"],
      OomScoreAdj: 250,
      Mounts: [
        {
          Type: "volume",
          Source: "svc-01890a5d-ac96-774b-bcce-b302099a8057-database",
          Target: "/var/lib/svc-database",
        },
      ],
    },
  });
  expect(body.NetworkingConfig?.EndpointsConfig?.[`svc-${spec.app.id}`]?.Aliases).toEqual(["database"]);
});

test("deploys of one minute have different names, although their ids begin alike", () => {
  const other = { ...spec, deployId: "01890a5d-ac96-774b-bcce-b302099a8059" };
  expect(containerName(other)).not.toBe(containerName(spec));
});

test("an image that starts as root may become another user, and is confined as any other beyond that", () => {
  const asRoot = { ...placement, image: { id: "sha256:abc", startsAsRoot: true } };
  const { CapDrop, CapAdd, SecurityOpt } = containerBody(spec, asRoot).HostConfig!;
  expect(CapDrop).toEqual(["ALL"]);
  expect(CapAdd).toEqual(["NET_BIND_SERVICE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "KILL", "SETGID", "SETUID"]);
  expect(SecurityOpt).toEqual(["no-new-privileges"]);
});
