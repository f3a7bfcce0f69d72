import { describe, expect, test } from "vitest";
import { parseCidr } from "./engine/network/address-block.ts";
import { readConfig, resolveBaseImage } from "./config.ts";

const read = (env: Record<string, string>) => readConfig({ HOME: "/home/ada", ...env }).config;

describe("the agent's configuration", () => {
  test("has the operating contract's defaults", () => {
    expect(read({})).toEqual({
      controlPlane: { host: "127.0.0.1", port: 8443 },
      joinToken: undefined,
      listen: undefined,
      dataDirectory: "/home/ada/.svc/agent",
      dockerHost: undefined,
      engine: "single",
      registryFile: undefined,
      caddyAdmin: undefined,
      httpPort: 80,
      httpsPort: 443,
      baseImages: { names: {} },
      buildMemoryBytes: undefined,
      buildCpuMillis: undefined,
      areBuildCapsRequired: true,
      isIsolationRequired: true,
      appDiskBytes: 2 * 1024 ** 3,
      databaseDiskBytes: 10 * 1024 ** 3,
      addressBlock: parseCidr("10.210.0.0/16"),
      http: { host: "127.0.0.1", port: 9180 },
    });
  });

  test("reads every variable", () => {
    const config = read({
      SVC_CONTROL_PLANE: "https://deploy.example",
      SVC_AGENT_LISTEN: "[::]:9443",
      DOCKER_HOST: "tcp://10.0.0.1:2375",
      SVC_ENGINE: "swarm",
      SVC_REGISTRY_FILE: "/etc/svc/registry.json",
      SVC_CADDY_ADMIN: "unix:///run/caddy.sock",
      SVC_BUILD_MEMORY: "2g",
      SVC_APP_DISK: "500m",
      SVC_DATABASE_DISK: "20g",
      SVC_BUILD_CPUS: "1.5",
      SVC_BUILD_CAPS: "off",
      SVC_ISOLATION: "off",
      SVC_ADDRESS_BLOCK: "172.30.0.0/20",
    });
    expect(config).toMatchObject({
      controlPlane: { host: "deploy.example", port: 443 },
      listen: { host: "::", port: 9443 },
      dockerHost: "tcp://10.0.0.1:2375",
      engine: "swarm",
      registryFile: "/etc/svc/registry.json",
      caddyAdmin: "/run/caddy.sock",
      buildMemoryBytes: 2 * 1024 ** 3,
      buildCpuMillis: 1500,
      areBuildCapsRequired: false,
      isIsolationRequired: false,
      appDiskBytes: 500 * 1024 ** 2,
      databaseDiskBytes: 20 * 1024 ** 3,
      addressBlock: parseCidr("172.30.0.0/20"),
    });
  });

  test.each([
    ["SVC_BUILD_CAPS", "no"],
    ["SVC_ISOLATION", "false"],
    ["SVC_CONTROL_PLANE", "http://deploy.example"],
    ["SVC_CONTROL_PLANE", "https://deploy.example/path"],
    ["SVC_AGENT_LISTEN", "9443"],
    ["SVC_DATA_DIR", "relative"],
    ["DOCKER_HOST", "ssh://host"],
    ["SVC_ENGINE", "kubernetes"],
    ["SVC_REGISTRY_FILE", "registry.json"],
    ["SVC_HTTPS_PORT", "70000"],
    ["SVC_BASE_IMAGES", '{"node:22-slim": 1}'],
    ["SVC_BUILD_MEMORY", "2gb"],
    ["SVC_APP_DISK", "0g"],
    ["SVC_DATABASE_DISK", "10 GB"],
    ["SVC_BUILD_CPUS", "0"],
    ["SVC_ADDRESS_BLOCK", "10.210.0.0"],
    ["SVC_ADDRESS_BLOCK", "10.210.0.1/16"],
    ["SVC_ADDRESS_BLOCK", "10.210.0.0/27"],
    ["SVC_ADDRESS_BLOCK", "192.168.0.0/15"],
    ["SVC_ADDRESS_BLOCK", "8.8.0.0/16"],
    ["SVC_ADDRESS_BLOCK", "fd00::/8"],
  ])("%s=%s is refused with the variable's name, its value and what is allowed", (name, value) => {
    expect(() => read({ [name]: value })).toThrow(`${name} is ${JSON.stringify(value)}; allowed is `);
  });

  test("names variables that nobody knows", () => {
    expect(readConfig({ SVC_JION_TOKEN: "x", SVC_JOIN_TOKEN: "y" }).unknownVariables).toEqual(["SVC_JION_TOKEN"]);
  });

  test("base images come from a mirror, one by one, or from where they always do", () => {
    const from = (value: string) => resolveBaseImage(read({ SVC_BASE_IMAGES: value }).baseImages, "node:22-slim");
    expect(from("")).toBe("node:22-slim");
    expect(from("mirror.example/library/")).toBe("mirror.example/library/node:22-slim");
    expect(from('{"node:22-slim": "my/node:22"}')).toBe("my/node:22");
  });
});
