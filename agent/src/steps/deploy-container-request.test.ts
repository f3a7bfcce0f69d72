import { create } from "@bufbuild/protobuf";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { DeployContainerSpecSchema } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { expect, test } from "vitest";
import { checkDeployContainer } from "./deploy-container-request.ts";

type Fields = MessageInitShape<typeof DeployContainerSpecSchema>;

const valid: Fields = {
  imageDigest: `sha256:${"a".repeat(64)}`,
  port: 3000,
  memoryBytes: 512n << 20n,
  cpuMillis: 1000,
  release: "v1",
  probeSeconds: 60,
  env: [
    { key: "PORT", value: "3000" },
    { key: "TEXT", value: "any 'bytes' $here\n=" },
    { key: "__proto__", value: "text" },
  ],
};

test("a valid request is taken over as it is", () => {
  const request = checkDeployContainer(create(DeployContainerSpecSchema, valid));
  expect(request.memoryBytes).toBe(536_870_912);
  expect(Object.entries(request.env).map(([key, value]) => ({ key, value }))).toEqual(valid.env);
});

test.each<[string, Fields]>([
  ["image_digest", { imageDigest: "shop:latest" }],
  ["image_digest", { imageDigest: `sha256:${"a".repeat(64)} --privileged` }],
  ["port", { port: 0 }],
  ["port", { port: 65_536 }],
  ["memory_bytes", { memoryBytes: 0n }],
  ["memory_bytes", { memoryBytes: 2n ** 63n }],
  ["cpu_millis", { cpuMillis: 0 }],
  ["release", { release: "" }],
  ["release", { release: "v1\n" }],
  ["probe_seconds", { probeSeconds: 61 }],
  ["A-B", { env: [{ key: "A-B", value: "x" }] }],
  ["A=B", { env: [{ key: "A=B", value: "x" }] }],
  ["NUL_KEY", { env: [{ key: "NUL_KEY", value: "secret\0value" }] }],
  ["LONG", { env: [{ key: "LONG", value: "x".repeat(131_072) }] }],
  ["twice", { env: ["secret", "other"].map((value) => ({ key: "A", value })) }],
])("%s out of its range is refused by name", (name, fields) => {
  const spec = create(DeployContainerSpecSchema, { ...valid, ...fields });
  expect(() => checkDeployContainer(spec)).toThrow(expect.objectContaining({ code: "invalid_request" }));
  expect(() => checkDeployContainer(spec)).toThrow(name);
  expect(() => checkDeployContainer(spec)).not.toThrow("secret");
});
