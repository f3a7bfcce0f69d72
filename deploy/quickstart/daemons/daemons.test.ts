import { readFileSync } from "node:fs";
import { afterEach, expect, test, vi } from "vitest";
import { agentDaemon, controlPlaneDaemon } from "./daemons.ts";
import type { Installation } from "../installation.ts";

const installation = {
  directory: "/nowhere",
  controlPlaneDirectory: "/nowhere/control-plane",
  agentDirectory: "/nowhere/agent",
  agentsListen: { host: "127.0.0.1", port: 8443 },
  httpsPort: 443,
} as Installation;

/** The variables as the agent's own source names them. */
const ofAgent = [
  ...readFileSync(new URL("../../../agent/src/config.ts", import.meta.url), "utf8").matchAll(/"(SVC_[A-Z_]+[A-Z])"/g),
].map(([, name]) => name!);

afterEach(() => vi.unstubAllEnvs());

test("every variable that the agent reads reaches it, and none but the folder reaches the control plane", () => {
  expect(ofAgent).toContain("SVC_DATABASE_DISK");
  for (const name of ofAgent) vi.stubEnv(name, "a value");
  vi.stubEnv("SVC_TIERS_FILE", "/tiers.json");
  vi.stubEnv("SVC_OUTBOUND_CA_FILE", undefined);
  const agent = agentDaemon(installation, "token").env;
  const controlPlane = controlPlaneDaemon(installation, "/ca.pem").env;
  expect(ofAgent.filter((name) => agent[name] === undefined)).toEqual([]);
  expect(ofAgent.filter((name) => controlPlane[name] !== undefined)).toEqual(["SVC_DATA_DIR"]);
  expect([agent["SVC_TIERS_FILE"], controlPlane["SVC_TIERS_FILE"]]).toEqual([undefined, "/tiers.json"]);
});

test("builds, clones and webhooks reach the address of the samples' git server and what the user allows, and not 127.0.0.1", () => {
  vi.stubEnv("SVC_OUTBOUND_ALLOW", undefined);
  expect(controlPlaneDaemon(installation, "/ca.pem").env["SVC_OUTBOUND_ALLOW"]).toBe("127.83.0.1/32");
  vi.stubEnv("SVC_OUTBOUND_ALLOW", "192.0.2.0/24");
  expect(controlPlaneDaemon(installation, "/ca.pem").env["SVC_OUTBOUND_ALLOW"]).toBe("192.0.2.0/24,127.83.0.1/32");
});
