import { expect, it } from "vitest";
import type { ContainerSpec } from "../../ports.ts";
import { escapeTemplates, serviceName, serviceSpec, unescapeTemplates } from "./service-spec.ts";

const app = { id: "01a0b0c0-0000-7000-8000-00000000000a", name: "shop" };
const spec: ContainerSpec = {
  app,
  role: "app",
  deployId: "01a0b0c0-0000-7000-8000-0123456789ab",
  release: "v2",
  image: "sha256:1",
  command: ["node", "server.js"],
  env: { TOKEN: "a=b" },
  port: 3000,
  memoryBytes: 1024,
  cpuMillis: 500,
  aliases: [],
  volumes: {},
  capabilities: [],
  copies: 3,
};
const image = { reference: "registry:5000/svc/x@sha256:2", startsAsRoot: false };

it("a service has the caps of a container, and so many copies, which are replaced one by one, new before old", () => {
  expect(serviceSpec(spec, { serverId: "s", networkId: "n", image })).toMatchObject({
    Name: "svc-0123456789ab-shop",
    Labels: { "svc.server": "s", "svc.app": app.id, "svc.image": "sha256:1", "svc.copies": "3" },
    TaskTemplate: {
      ContainerSpec: {
        Image: image.reference,
        Args: ["node", "server.js"],
        Env: ["TOKEN=a=b"],
        Init: true,
        CapabilityDrop: ["ALL"],
        CapabilityAdd: ["NET_BIND_SERVICE"],
        StopGracePeriod: 10_000_000_000,
        Labels: { "svc.server": "s", "svc.role": "app" },
      },
      Resources: { Limits: { NanoCPUs: 500_000_000, MemoryBytes: 1024, Pids: 512 } },
      Networks: [{ Target: "n" }],
    },
    Mode: { Replicated: { Replicas: 3 } },
    UpdateConfig: { Order: "start-first", FailureAction: "rollback" },
    EndpointSpec: { Mode: "dnsrr" },
  });
});

it("an image whose processes begin as root gets what it needs to become another user", () => {
  const body = serviceSpec(spec, { serverId: "s", networkId: "n", image: { ...image, startsAsRoot: true } });
  expect(JSON.stringify(body.TaskTemplate)).toContain('"SETUID"');
});

it("the longest name of an app makes a name that the cluster takes", () => {
  expect(serviceName({ ...spec, app: { ...app, name: `${"a".repeat(45)}-${"b".repeat(17)}` } })).toMatch(
    /^[a-z0-9-]{1,62}[a-z0-9]$/,
  );
});

it.each(["{{.Node.ID}}", "{{{x}}}", "{{{{", "no template", '{{"{{"}}'])("the value %j is no template", (value) => {
  expect(unescapeTemplates(escapeTemplates(value))).toBe(value);
});
